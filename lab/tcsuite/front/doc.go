// SPDX-License-Identifier: GPL-2.0-or-later

// Package front reads whole lines of tc(8) and carries them out with package tc, so that tests written for tc(8) can
// try package tc. It knows the words that stand before a kind (tc(8), section COMMON OPTIONS and SYNOPSIS); the kind's
// own words are package tc's.
package front

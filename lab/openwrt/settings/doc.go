// SPDX-License-Identifier: GPL-2.0-or-later

// Package settings changes UCI configuration files as uci(1) does: what is set is kept aside until it is committed, and
// only then written. It reads with package uci.
package settings

// SPDX-License-Identifier: GPL-2.0-or-later

// Package apk writes, reads and checks packages and repository indices of apk 3, the package manager of OpenWrt 25.12
// and later. Packages look as OpenWrt's own build makes them: with its scripts around the package's own parts and the
// lists that its functions.sh and sysupgrade look for.
package apk

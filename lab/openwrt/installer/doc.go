// SPDX-License-Identifier: GPL-2.0-or-later

// Package installer is a stand-in of OpenWrt's two package managers as far as a package sees them: opkg (up to 24.10)
// and apk (from 25.12). They differ in what they run when and in what becomes of changed configuration files, and that
// difference is the point. They know no feeds, fetch nothing and resolve nothing: a package that is missing is an error.
package installer

// SPDX-License-Identifier: GPL-2.0-or-later

// Package openwrt makes root directories that look to a package like OpenWrt, on machines that are not: its shell
// libraries, its package managers, procd, ubus and uci are stand-ins, the shell and small programs are busybox, and the
// kernel is the machine's own. [New] makes one; commands run in it with chroot, in a mount namespace of its own.
//
// The stand-ins are of two kinds: programs, which are all in cmd/sqmbox, and the tree of shell files below root. They
// do what package/files of this repository and the like of it use, as the real ones do it.
package openwrt

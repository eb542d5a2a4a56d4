// SPDX-License-Identifier: GPL-2.0-or-later

// Package malta runs commands in virtual machines with the processor core of common routers: QEMU's malta board with a
// MIPS 74Kf, big-endian or little-endian, and 128 MB of memory.
//
// A guest holds busybox, ip, tc and what the caller adds, all in memory. It sees directories of the host as shares and
// has no network but its own. What it needs besides QEMU comes from scripts/lab-kernel.
package malta

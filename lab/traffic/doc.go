// SPDX-License-Identifier: GPL-2.0-or-later

// Package traffic loads the network of a lab guest and measures what becomes of the packets. Everything is counted or
// timed by the kernel that receives it: rates by link and TCP statistics, arrivals by the kernel's timestamps. As all
// hosts share one kernel and one clock, delays one way are as exact as round trips.
//
// A system call costs much in user-mode Linux, so sockets block, and threads wake for many bytes at once instead of for
// each packet.
package traffic

// SPDX-License-Identifier: GPL-2.0-or-later

// Package traffic loads the network of a lab guest and measures what becomes of the packets. Everything is counted or
// timed by the kernel that receives it: rates by link and TCP statistics, arrivals by the kernel's timestamps. As all
// hosts share one kernel and one clock, delays one way are as exact as round trips.
//
// A return to user mode costs much in user-mode Linux, and timer interrupts of a busy shaper can make it all but
// impossible. So bulk data is moved inside the kernel, and probes are given to the kernel in batches, ahead of their time.
package traffic

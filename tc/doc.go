// SPDX-License-Identifier: GPL-2.0-or-later

// Package tc is the mechanism of traffic control: qdiscs, classes, filters,
// actions and size tables as Go values, their rtnetlink encoding in both
// directions, and their tc(8) spelling in both directions. It knows nothing of
// policy.
//
// Every kind implements [Options]; the tables in kinds.go tie a kernel name to
// its implementation. A kind or attribute that is not known is kept as raw bytes
// ([Raw]) and never makes a dump fail.
//
// Sources: linux/pkt_sched.h, linux/pkt_cls.h, linux/rtnetlink.h, tc(8).
package tc

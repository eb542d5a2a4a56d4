// SPDX-License-Identifier: GPL-2.0-or-later

// Package shaping is the policy: what tree of qdiscs a queue of the
// configuration asks for, how that differs from what the kernel has, and how to
// get there without harm.
//
// A configuration's way: [Group] joins the sections that name one device,
// [NewPlan] turns them into targets, [Diff] compares targets with a [State] and
// gives operations, [Engine] carries them out, asks the kernel again, and takes
// everything back when a step fails. Start, reload, repair, rate change, stop
// and taking back are all this one path.
package shaping

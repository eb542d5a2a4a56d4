// SPDX-License-Identifier: GPL-2.0-or-later

// Package doctor looks for what spoils shaping and says how to mend it.
//
// [Examine] is pure: it draws findings from [Evidence]. What the evidence is
// drawn from stands at the rim: [Gather] reads files, [ReadOffloads] asks the
// kernel about one device, [CheckClock] looks at the program's own clock.
// [Checks] lists all that is looked for; docs/doctor.md is the same for people.
package doctor

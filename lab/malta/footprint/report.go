// SPDX-License-Identifier: GPL-2.0-or-later

package footprint

import (
	"fmt"
	"strings"
	"time"
)

// Column is what was measured in one kind of guest.
type Column struct {
	Name string
	Running
}

// Report writes everything as a page of documentation.
func Report(version string, sizes []Size, columns []Column) string {
	var b strings.Builder
	b.WriteString("# What sqmd takes of a router\n\n")
	fmt.Fprintf(&b, "Of sqmd %s; made by `scripts/footprint`. A person judges: the times are those of a machine, too.\n", version)
	b.WriteString("\n## Flash\n\nThe binary as released, in bytes. Packages and squashfs hold it packed.\n\n")
	b.WriteString("| target | binary | gzip -9 | xz |\n| --- | --: | --: | --: |\n")
	for _, s := range sizes {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", s.Target, s.Raw, s.Gzip9, s.Xz6)
	}
	fmt.Fprintf(&b, "| budget | %d | %d | |\n", budgetRaw, budgetGzip)
	b.WriteString(runningHead)
	b.WriteString("| |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.Name)
	}
	b.WriteString(" budget |\n| --- |" + strings.Repeat(" --: |", len(columns)+1) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", row.cell(c.Running))
		}
		fmt.Fprintf(&b, " %s |\n", row.budget)
	}
	return b.String()
}

const runningHead = `
## Memory and time

In a virtual machine: QEMU's malta board, MIPS 74Kf, 128 MB, software floating point. Two lines are shaped with cake in both
directions; events are carriers that flap, devices that go and come again, reloads and new rates. Resident memory is in kB
and contains the pages of the binary that are in use, which the kernel can drop and read again; anonymous memory is what it
cannot.

The machine's clock counts instructions, so that times do not depend on the host: 4 ns each, which is about what an Archer
C7's 720 MHz do when their caches are often missed. Programs are in memory when they start. The best of the runs counts for
the budget. The big-endian guest has a kernel with what a router needs; the little-endian one has Debian's, which takes half
as long again for the same system calls, and is not held to the budgets of time.

`

var rows = []struct {
	name   string
	cell   func(Running) string
	budget string
}{
	{"kernel", func(r Running) string { return r.Kernel }, ""},
	{"memory of the machine, kB", func(r Running) string { return fmt.Sprint(r.MemoryKB) }, ""},
	{"daemon idle: resident (anonymous)", func(r Running) string { return r.Idle.String() }, fmt.Sprint(budgetResident / 1024)},
	{"after events: resident (anonymous)", func(r Running) string { return r.After.String() }, fmt.Sprint(budgetResident / 1024)},
	{"most ever: resident", func(r Running) string { return fmt.Sprint(max(r.Idle.Peak, r.After.Peak)) }, ""},
	{"threads", func(r Running) string { return fmt.Sprint(max(r.Idle.Threads, r.After.Threads)) }, ""},
	{"events, in seconds", func(r Running) string { return fmt.Sprintf("%d, %.0f", r.Events, r.Busy.Seconds()) }, ""},
	{"CPU seconds in an idle hour", func(r Running) string { return fmt.Sprintf("%.1f", r.CPUPerHour().Seconds()) }, fmt.Sprint(budgetCPU.Seconds())},
	{"a process that does nothing, ms: best (median)", func(r Running) string { return r.Start.String() }, ""},
	{"start to shaped, ms: best (median)", func(r Running) string { return r.Shape.String() }, fmt.Sprint(budgetShape.Milliseconds())},
	{"apply with nothing to do, ms: best (median)", func(r Running) string { return r.Same.String() }, fmt.Sprint(budgetSame.Milliseconds())},
}

func (m Memory) String() string {
	if m.Resident == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%d (%d)", m.Resident, m.Anonymous)
}

func (t Times) String() string {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return fmt.Sprintf("%.1f (%.1f)", ms(t.Best()), ms(t.Median()))
}

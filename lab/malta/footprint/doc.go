// SPDX-License-Identifier: GPL-2.0-or-later

// Package footprint measures what sqmd takes of a router: flash, memory, and time. Sizes are taken on the host, the rest
// by Measure inside a guest of package malta.
package footprint

import "time"

// InstructionNs is how long an instruction takes in a guest that is measured, see malta.Guest.
const InstructionNs = 4

// Size is that of one binary, in bytes.
type Size struct {
	Target          string // as scripts/size names it
	Raw, Gzip9, Xz6 int64
}

// Memory is what a process holds, in kB as /proc/PID/status counts them.
type Memory struct {
	Resident  int `json:"resident"`  // VmRSS: with the pages of its binary that are in use
	Anonymous int `json:"anonymous"` // RssAnon: what the kernel cannot drop
	Peak      int `json:"peak"`      // VmHWM
	Threads   int `json:"threads"`
}

// Times are those of repeated runs of one command, from its start until it has ended.
type Times []time.Duration

// Running is what was measured in a guest.
type Running struct {
	Kernel   string        `json:"kernel"`
	MemoryKB int           `json:"memory_kb"` // MemTotal
	Start    Times         `json:"start"`     // sqmd --version
	Shape    Times         `json:"shape"`     // sqmd apply that shapes two lines from nothing
	Same     Times         `json:"same"`      // sqmd apply that finds nothing to do
	Idle     Memory        `json:"idle"`      // sqmd run with two shaped lines
	IdleFor  time.Duration `json:"idle_for"`
	IdleCPU  time.Duration `json:"idle_cpu"` // CPU time that it took in that
	Events   int           `json:"events"`
	Busy     time.Duration `json:"busy"`  // how long events went on, 0 if there were none
	After    Memory        `json:"after"` // at rest again
}

// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"net"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// core is a processor core that a guest has for itself among the guests of this machine.
type core struct {
	number int
	claim  net.Listener
}

// claimCore takes a core no other guest has. The claim is a bound abstract socket: it leaves no file behind and ends
// with its process. When all are taken, guests share.
func claimCore() core {
	cores := allowedCores()
	// The first core usually serves the machine's interrupts: it comes last.
	slices.Reverse(cores)
	for _, number := range cores {
		claim, err := net.Listen("unix", fmt.Sprintf("@sqmlab-core-%d", number))
		if err == nil {
			return core{number: number, claim: claim}
		}
	}
	return core{number: cores[os.Getpid()%len(cores)]}
}

func (c core) release() {
	if c.claim != nil {
		c.claim.Close()
	}
}

// pinThread binds the calling thread, and what it starts, to the core.
func (c core) pinThread() {
	var set unix.CPUSet
	set.Set(c.number)
	// An unpinned guest is slower, not wrong.
	_ = unix.SchedSetaffinity(0, &set)
}

func allowedCores() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return []int{0}
	}
	var cores []int
	for number := 0; len(cores) < set.Count(); number++ {
		if set.IsSet(number) {
			cores = append(cores, number)
		}
	}
	return cores
}

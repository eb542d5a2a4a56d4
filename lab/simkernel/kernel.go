// SPDX-License-Identifier: GPL-2.0-or-later

// Package simkernel simulates what sqmd uses of the kernel: the links and the
// traffic control of one network namespace, with the kernel's own rules (Linux
// net/sched and net/core) and errors, but without packets. Tests run long random
// sequences of events against it that a real kernel would be too slow for, and
// then ask what is really shaped with [Kernel.Shapes] and whether all that
// belongs to others is untouched with [Kernel.Foreign].
//
// [Kernel] has the methods of shaping.Kernel; what is made through them is
// sqmd's. The other methods are outside hands: other programs and the world.
// That the simulation does as the kernel does is itself tested on a real one.
package simkernel

import (
	"fmt"
	"slices"
	"sync"
	"syscall"

	"sqmd/tc"
	"sqmd/watch"
)

// Kernel is one network namespace. It is safe for concurrent use.
type Kernel struct {
	mu      sync.Mutex
	devices []*device // by index
	// lastIndex, autoHandle and actions are the last numbers given out.
	lastIndex  int
	autoHandle uint16
	actions    map[string]uint32
	lacking    map[string]bool
	fault      func(op string) error
	events     []watch.Event
	// told is the links as the events taken so far have them, known as all have.
	told, known watch.Table
}

// firstAutoHandle is the first major number that the kernel gives to a qdisc
// made without a handle.
const firstAutoHandle = 0x8001

// New is a namespace with nothing but a loopback device, which has index 1.
func New() *Kernel {
	k := &Kernel{autoHandle: firstAutoHandle - 1, actions: map[string]uint32{}, lacking: map[string]bool{}}
	lo := k.addDevice("lo", hardware, 65536, 1)
	lo.link.Header, lo.noQueue, lo.foreign = 0, true, true
	k.setUp(lo)
	k.events = nil
	return k
}

// Lack makes the kernel one without some kinds of qdiscs, filters or actions,
// such as "cake_mq" or "pedit". What was made of them before stays.
func (k *Kernel) Lack(kinds ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, kind := range kinds {
		k.lacking[kind] = true
	}
}

// Fail has hook asked before every operation that comes through the methods of
// shaping.Kernel, those of outside hands not; nil for no more hook. An error of
// the hook becomes the operation's, and nothing is done.
//
// op is "dump links", "dump qdiscs", "dump classes" or "dump filters"; or what is
// changed, such as "create ifb4eth1", "add qdisc cake on eth1" or "delete filter
// on eth1"; or, for a whole [Kernel.Do], "send" before anything of it is carried
// out and "receive" afterwards, when the answer is lost.
//
// The hook is called without any lock: it can play outside hands, and so have
// another program act between two operations.
func (k *Kernel) Fail(hook func(op string) error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fault = hook
}

// asks lets the hook refuse an operation.
func (k *Kernel) asks(format string, args ...any) error {
	k.mu.Lock()
	hook := k.fault
	k.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(fmt.Sprintf(format, args...))
}

// refusal is an error as a request's answer has it.
func refusal(errno syscall.Errno) error { return &tc.KernelError{Errno: errno} }

func (k *Kernel) byName(name string) *device {
	return k.find(func(d *device) bool { return d.link.Name == name })
}

func (k *Kernel) byIndex(index int) *device {
	return k.find(func(d *device) bool { return d.link.Index == index })
}

func (k *Kernel) find(match func(*device) bool) *device {
	if i := slices.IndexFunc(k.devices, match); i >= 0 {
		return k.devices[i]
	}
	return nil
}

// nameOf is for messages.
func (k *Kernel) nameOf(index int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return names{k}.Name(index)
}

// names resolves devices for tc(8) text.
type names struct{ k *Kernel }

// Name is the device with an index, "" for none.
func (n names) Name(index int) string {
	if d := n.k.byIndex(index); d != nil {
		return d.link.Name
	}
	return ""
}

// Index is the index of a device, 0 for none.
func (n names) Index(name string) int {
	if d := n.k.byName(name); d != nil {
		return d.link.Index
	}
	return 0
}

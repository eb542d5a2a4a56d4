// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"errors"
	"fmt"
	"syscall"

	"sqmd/tc"
)

// execution carries out the operations of one unit.
type execution struct {
	kernel Kernel
	unit   Unit
	index  map[string]int // of devices, by name
	// created are the IFBs that were made.
	created map[string]bool
	// doubt is the first refusal to delete something that may mean that it is not
	// there any more. What the kernel shows afterwards decides.
	doubt error
}

// run carries out operations in order, on the devices that were there before:
// links and traffic control cannot be read in one step, so that before may be half
// about a device that another one of the same name has replaced. Runs of traffic
// control operations go to the kernel in one system call.
func (x *execution) run(ops []Op, before State) error {
	links, err := x.kernel.Links()
	if err != nil {
		return err
	}
	x.index, x.created = map[string]int{}, map[string]bool{}
	for _, l := range links {
		x.index[l.Name] = l.Index
	}
	if x.index[x.unit.Device] != before.Links[x.unit.Device].Index {
		return fmt.Errorf("%s: %w", x.unit.Device, errReplaced)
	}
	for len(ops) > 0 {
		n := 0
		for n < len(ops) && !ops[n].onLink() {
			n++
		}
		if n == 0 {
			if err := x.onLink(ops[0]); err != nil {
				return x.failed(ops[0], err)
			}
			ops = ops[1:]
			continue
		}
		if err := x.batch(ops[:n]); err != nil {
			return err
		}
		ops = ops[n:]
	}
	return nil
}

func (x *execution) batch(ops []Op) error {
	requests := make([]tc.Request, len(ops))
	for i, o := range ops {
		var err error
		if requests[i], err = o.request(func(device string) int { return x.index[device] }); err != nil {
			return x.failed(o, err)
		}
	}
	results, err := x.kernel.Do(requests...)
	if err != nil {
		return x.failed(ops[0], err)
	}
	for i, err := range results {
		switch {
		case err == nil || ops[i].Verb == Delete && gone(err):
		case ops[i].Verb == Delete && errors.Is(err, syscall.EINVAL):
			// The kernel's answer for a root qdisc that is not there.
			if x.doubt == nil {
				x.doubt = x.failed(ops[i], err)
			}
		default:
			if x.doubt != nil {
				return x.doubt // what failed first made this one fail
			}
			return x.failed(ops[i], err)
		}
	}
	return nil
}

// gone reports whether what was to be deleted is not there: another hand was
// quicker, or it went with its parent.
func gone(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENODEV)
}

func (x *execution) onLink(o Op) error {
	switch o.Verb {
	case CreateIFB:
		n, err := x.kernel.CreateIFB(o.Device, o.Queues)
		x.index[o.Device] = n
		x.created[o.Device] = err == nil
		return err
	case SetAlias:
		return x.kernel.SetAlias(x.index[o.Device], o.Alias)
	case SetUp:
		return x.kernel.SetUp(x.index[o.Device])
	}
	if x.index[o.Device] == 0 {
		return nil // it is not there any more
	}
	err := x.kernel.DeleteLink(x.index[o.Device])
	if errors.Is(err, syscall.ENODEV) {
		err = nil
	}
	return err
}

func (x *execution) failed(o Op, err error) error {
	failure := &OpError{Title: x.unit.Title(), Device: x.unit.Device, Direction: o.Direction, Op: o.String(), Err: err}
	if o.Feature != "" && (errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EOPNOTSUPP)) {
		return &missingFeature{o.Feature, failure}
	}
	return failure
}

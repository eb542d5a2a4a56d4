// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import "sqmd/ifb"

// look is one reading of the kernel that several units share.
type look struct {
	kernel  Kernel
	devices map[string]bool
	state   State
	fresh   bool
}

// look will read what is relevant to units: their devices and the IFBs of ours
// for them.
func (e *Engine) look(units ...Unit) *look {
	l := &look{kernel: e.Kernel, devices: map[string]bool{}}
	for _, u := range units {
		l.devices[u.Device] = true
	}
	return l
}

// read gives the state, from the kernel if it was not read since it changed.
func (l *look) read() (State, error) {
	if l.fresh {
		return l.state, nil
	}
	var err error
	l.state, err = Read(l.kernel, func(link ifb.Link) bool {
		owner, our := ours(link)
		return l.devices[link.Name] || our && l.devices[owner]
	})
	l.fresh = err == nil
	return l.state, err
}

// replaced reports whether the unit's device is not the one that it was.
func (l *look) replaced(r Result) bool {
	now, err := l.read()
	return err == nil && now.Links[r.Unit.Device].Index != r.Before.Links[r.Unit.Device].Index
}

// stale says that the kernel has changed, or may have.
func (l *look) stale() { l.fresh = false }

// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"fmt"
	"slices"
)

// Foreign describes every object that was not made through the methods of
// shaping.Kernel and still exists, sorted. What sqmd does must never change the
// list: a line that is gone or different was touched.
//
// An object that an outside hand changes in place stays whose it was, and one
// that it puts in place of another is foreign.
func (k *Kernel) Foreign() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var lines []string
	add := func(foreign bool, format string, args ...any) {
		if foreign {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	for _, d := range k.devices {
		l := d.link
		add(d.foreign, "link %d %s %s mtu %d queues %d alias %q up %v", l.Index, l.Name, l.Kind, l.MTU, l.TxQueues, l.Alias, l.Up)
		for _, q := range d.qdiscs() {
			q.Ifindex = l.Index
			add(q.foreign, "%s # handle %s", q.Command("add", names{k}), q.Handle)
			for _, c := range q.classes {
				c.Ifindex = l.Index
				add(c.foreign, "%s", c.Command("add", names{k}))
			}
			for _, b := range q.blocks() {
				for _, f := range b.all() {
					f.Ifindex = l.Index
					add(f.foreign, "%s # handle %x", f.Command("add", names{k}), f.Handle)
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Again is a dumped filter in the form to make it once more: without the numbers
// that the kernel gave to the filter and its actions, which may be taken by then.
// fw's handle stays, it is the mark.
func (f Filter) Again() Filter {
	switch o := f.Options.(type) {
	case *Matchall:
		c := *o
		c.Actions, f.Options, f.Handle = o.Actions.again(), &c, 0
	case *U32:
		c := *o
		c.Actions, f.Options, f.Handle = o.Actions.again(), &c, 0
		if c.Hash >= u32FirstRootTable {
			c.Hash = 0
		}
	case *Flower:
		c := *o
		c.Actions, f.Options, f.Handle = o.Actions.again(), &c, 0
	case *Fw:
		c := *o
		c.Actions, f.Options = o.Actions.again(), &c
	}
	return f
}

// u32FirstRootTable is the least id of a hash table that u32 makes by itself,
// one for each preference: 800:.
const u32FirstRootTable = 0x80000000

func (a Actions) again() Actions {
	var list Actions
	for _, action := range a {
		action.Index, action.Stats = 0, nil
		list = append(list, action)
	}
	return list
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Attributes of matchall (TCA_MATCHALL_*, linux/pkt_cls.h).
const (
	matchallClassID = 1
	matchallAct     = 2
	matchallFlags   = 3
)

// Where a filter runs (TCA_CLS_FLAGS_*). From a dump there are also flags that
// say where it does run.
const (
	SkipHardware uint32 = 1 << iota
	SkipSoftware
	InHardware    // read only
	NotInHardware // read only
)

// askedFlags are the flags that a request can carry.
const askedFlags = SkipHardware | SkipSoftware

// Matchall matches every packet, tc-matchall(8). The kernel takes one at each
// preference, and cannot change it in place.
type Matchall struct {
	ClassID Handle // class that packets go to, 0 for none
	Actions Actions
	Flags   uint32 // SkipHardware ...
}

// Kind is "matchall".
func (m *Matchall) Kind() string { return "matchall" }

func (m *Matchall) encode(e *encoder) error {
	if m.ClassID != 0 {
		e.u32(matchallClassID, uint32(m.ClassID))
	}
	err := m.Actions.encode(e, matchallAct)
	if m.Flags&askedFlags != 0 {
		e.u32(matchallFlags, m.Flags&askedFlags)
	}
	return err
}

func (m *Matchall) decode(d decoder) error {
	return d.each(func(typ uint16, v value) {
		switch typ {
		case matchallClassID:
			m.ClassID = Handle(v.u32())
		case matchallAct:
			m.Actions = decodeActions(v.nested())
		case matchallFlags:
			m.Flags = v.u32()
		}
	})
}

func (m *Matchall) satisfied(have Options) bool {
	h, ok := have.(*Matchall)
	return ok && m.ClassID == h.ClassID && m.Flags&askedFlags == h.Flags&askedFlags && m.Actions.satisfied(h.Actions)
}

// Words spells the options for tc-matchall(8).
func (m *Matchall) Words(names Names) []string {
	return append(append(flagWords(m.Flags), classWords(m.ClassID)...), m.Actions.words(names)...)
}

func (m *Matchall) parse(w *words) error {
	return filterTable(wordTable{}, &m.ClassID, &m.Actions, &m.Flags).parse(w)
}

// filterTable adds the words that filter kinds share.
func filterTable(t wordTable, class *Handle, actions *Actions, flags *uint32) wordTable {
	t["classid"] = to(class, parseClassID)
	t["flowid"] = t["classid"]
	t["action"] = actions.parse
	t["skip_hw"] = func(*words) error { *flags |= SkipHardware; return nil }
	t["skip_sw"] = func(*words) error { *flags |= SkipSoftware; return nil }
	return t
}

func classWords(class Handle) []string {
	if class == 0 {
		return nil
	}
	return []string{"classid", class.String()}
}

func flagWords(flags uint32) []string {
	var out []string
	if flags&SkipHardware != 0 {
		out = append(out, "skip_hw")
	}
	if flags&SkipSoftware != 0 {
		out = append(out, "skip_sw")
	}
	return out
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Attributes of skbedit (TCA_SKBEDIT_*, linux/tc_act/tc_skbedit.h).
const (
	skbeditParms        = 2
	skbeditPriority     = 3
	skbeditQueueMapping = 4
	skbeditMark         = 5
	skbeditPType        = 7
	skbeditMask         = 8
	skbeditFlags        = 9
)

const skbeditInheritDSField = 0x20 // SKBEDIT_F_INHERITDSFIELD

// skbeditPTypes are the packet types of linux/if_packet.h from 0 on.
var skbeditPTypes = []string{"host", "broadcast", "multicast", "otherhost"}

// Skbedit changes what the kernel notes about a packet, not the packet,
// tc-skbedit(8). Fields that are nil stay as they are.
type Skbedit struct {
	Priority *Handle // selects the class of a classful qdisc with that handle
	Mark     *uint32 // firewall mark
	// MarkMask are the bits of the mark that change; nil for all.
	MarkMask     *uint32
	QueueMapping *uint16 // transmit queue of the device
	PType        *uint16 // 0 host, 1 broadcast, 2 multicast, 3 otherhost
	// InheritDSField takes the priority from the packet's DSCP.
	InheritDSField bool
	Control        *Control // nil for pipe
}

// Kind is "skbedit".
func (s *Skbedit) Kind() string { return "skbedit" }

func (s *Skbedit) parms() uint16                 { return skbeditParms }
func (s *Skbedit) control() (**Control, Control) { return &s.Control, ControlPipe }

func (s *Skbedit) encode(e *encoder) error {
	e.general(s, 0)
	if s.QueueMapping != nil {
		e.u16(skbeditQueueMapping, *s.QueueMapping)
	}
	if s.Priority != nil {
		e.u32(skbeditPriority, uint32(*s.Priority))
	}
	e.optU32(skbeditMark, s.Mark)
	e.optU32(skbeditMask, s.MarkMask)
	if s.PType != nil {
		e.u16(skbeditPType, *s.PType)
	}
	if s.InheritDSField {
		e.u64(skbeditFlags, skbeditInheritDSField)
	}
	return nil
}

func (s *Skbedit) decode(d decoder) error {
	return d.each(func(typ uint16, v value) {
		switch typ {
		case skbeditParms:
			decodeGeneral(s, v)
		case skbeditPriority:
			s.Priority = ref(Handle(v.u32()))
		case skbeditQueueMapping:
			s.QueueMapping = ref(v.u16())
		case skbeditMark:
			s.Mark = ref(v.u32())
		case skbeditMask:
			s.MarkMask = ref(v.u32())
		case skbeditPType:
			s.PType = ref(v.u16())
		case skbeditFlags:
			s.InheritDSField = v.u64()&skbeditInheritDSField != 0
		}
	})
}

func (s *Skbedit) satisfied(have Options) bool {
	h, ok := have.(*Skbedit)
	return ok && sameControl(s, h) && equal(s.Priority, h.Priority) && equal(s.Mark, h.Mark) &&
		equal(s.mask(), h.mask()) && equal(s.QueueMapping, h.QueueMapping) && equal(s.PType, h.PType) &&
		s.InheritDSField == h.InheritDSField
}

// mask leaves out a mask of all bits, as the kernel does in a dump.
func (s *Skbedit) mask() *uint32 {
	if s.MarkMask != nil && *s.MarkMask == 1<<32-1 {
		return nil
	}
	return s.MarkMask
}

// equal compares two optional fields; nil equals nil only.
func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// Words spells the action for tc-skbedit(8).
func (s *Skbedit) Words(Names) []string {
	var out []string
	add := func(w ...string) { out = append(out, w...) }
	if s.QueueMapping != nil {
		add("queue_mapping", numberText(*s.QueueMapping))
	}
	if s.Priority != nil {
		add("priority", s.Priority.String())
	}
	if s.Mark != nil {
		mark := hexText(*s.Mark)
		if s.MarkMask != nil {
			mark += "/" + hexText(*s.MarkMask)
		}
		add("mark", mark)
	}
	if s.PType != nil {
		add("ptype", listWord(skbeditPTypes, ref(uint32(*s.PType))))
	}
	if s.InheritDSField {
		add("inheritdsfield")
	}
	return append(out, controlText(s)...)
}

func (s *Skbedit) parse(w *words) error {
	err := parseAction(s, wordTable{
		"queue_mapping": with(&s.QueueMapping, parseU16),
		"priority":      with(&s.Priority, parseClassID),
		"prio":          with(&s.Priority, parseClassID), // tc(8) takes any abbreviation; this one is in use
		"ptype": with(&s.PType, func(name string) (uint16, error) {
			for i, known := range skbeditPTypes {
				if known == name {
					return uint16(i), nil
				}
			}
			return 0, fmt.Errorf("%q is not one of %s", name, strings.Join(skbeditPTypes, ", "))
		}),
		"mark": func(w *words) error {
			mark, err := take(w, parseMasked)
			s.Mark, s.MarkMask = &mark.Value, mark.mask
			return err
		},
		"inheritdsfield": flag(&s.InheritDSField),
	}, w)
	if byIndex := w.more() && w.peek() == "index"; err == nil && *s == (Skbedit{Control: s.Control}) && !byIndex {
		return errors.New(`needs what to change, such as "priority"`)
	}
	return err
}

func parseU16(s string) (uint16, error) {
	n, err := parseU32(s)
	if err != nil || n > 0xffff {
		return 0, fmt.Errorf("%q is not a number from 0 to 65535", s)
	}
	return uint16(n), nil
}

// parseClassID reads a class id, which unlike a qdisc's handle may be one
// hexadecimal number without a colon.
func parseClassID(s string) (Handle, error) {
	if s == "root" || s == "none" || strings.Contains(s, ":") {
		return ParseHandle(s)
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a class: major:minor, hexadecimal", s)
	}
	return Handle(n), nil
}

// masked is a number with an optional mask.
type masked struct {
	Value uint32
	mask  *uint32
}

// parseMasked reads VALUE or VALUE/MASK.
func parseMasked(s string) (masked, error) {
	text, maskText, hasMask := strings.Cut(s, "/")
	v, err := parseU32(text)
	m := masked{Value: v}
	if err == nil && hasMask {
		var mask uint32
		mask, err = parseU32(maskText)
		m.mask = &mask
	}
	return m, err
}

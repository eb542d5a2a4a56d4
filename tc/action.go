// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
)

// Actions are what a filter does with a packet that it matches, in order. The
// kernel takes at most 32.
type Actions []Action

// Action is one action of a filter.
type Action struct {
	// Options are the parameters; their Kind is the action's.
	Options Options
	// Index is the kernel's number of the action, from a dump. In a request, 0
	// lets the kernel choose, and another number names the action; one that
	// exists already is shared, and Options are then ignored.
	Index uint32
	// Cookie is up to 16 bytes that the kernel keeps and gives back.
	Cookie []byte
	Stats  *Stats // from a dump
}

// Attributes of an action (TCA_ACT_*, linux/pkt_cls.h).
const (
	actKind    = 1
	actOptions = 2
	actIndex   = 3
	actStats   = 4
	actCookie  = 6
)

const (
	maxActions = 32 // TCA_ACT_MAX_PRIO
	maxCookie  = 16 // TC_COOKIE_MAX_SIZE
)

// actionOptions are the options of a known action. Their main attribute begins
// with the fields that all actions share (tc_gen, linux/pkt_cls.h): u32 index,
// u32 capabilities, s32 control, s32 references, s32 bindings.
type actionOptions interface {
	Options
	// parms is the attribute that begins with tc_gen.
	parms() uint16
	// control is the field of the control, nil for the default, and the default
	// that tc(8) has for this kind.
	control() (field **Control, byDefault Control)
}

const genSize = 20

// general appends the attribute that begins with tc_gen and returns room for
// size bytes behind it.
func (e *encoder) general(a actionOptions, size int) []byte {
	p := e.space(a.parms(), genSize+size)
	e.order.PutUint32(p[8:], uint32(effectiveControl(a)))
	return p[genSize:]
}

// decodeGeneral reads the control out of tc_gen and returns what is behind it.
func decodeGeneral(a actionOptions, v value) value {
	field, _ := a.control()
	*field = Control(int32(v.u32At(8))).Ptr()
	return value{v.order, v.b[min(genSize, len(v.b)):]}
}

func effectiveControl(a actionOptions) Control {
	field, byDefault := a.control()
	if *field != nil {
		return **field
	}
	return byDefault
}

// controlText is the control's words, none when tc(8) would take it by itself.
func controlText(a actionOptions) []string {
	c := effectiveControl(a)
	if _, byDefault := a.control(); c == byDefault {
		return nil
	}
	return c.words()
}

// parseAction reads a kind's own words and its control.
func parseAction(a actionOptions, t wordTable, w *words) error {
	field, _ := a.control()
	addControlWords(t, func(c Control) { *field = &c })
	return t.parse(w)
}

func sameControl(want, have actionOptions) bool {
	return effectiveControl(want) == effectiveControl(have)
}

// encode appends the actions in slots from 1 on; the kernel runs them in the
// order of their slots.
func (list Actions) encode(e *encoder, typ uint16) error {
	if len(list) == 0 {
		return nil
	}
	if len(list) > maxActions {
		return fmt.Errorf("%d actions, the kernel takes %d", len(list), maxActions)
	}
	var errs []error
	at := len(e.buf)
	e.nest(typ, func() {
		for i, a := range list {
			e.nest(uint16(i+1), func() { errs = append(errs, a.encode(e)) })
		}
	})
	if size := len(e.buf) - at; size > math.MaxUint16 {
		errs = append(errs, fmt.Errorf("actions of %d bytes, an attribute holds %d", size, math.MaxUint16))
	}
	return errors.Join(errs...)
}

func (a Action) encode(e *encoder) error {
	if a.Options == nil {
		return errors.New("an action without options has no kind")
	}
	if len(a.Cookie) > maxCookie {
		return fmt.Errorf("cookie of %d bytes, the kernel takes %d", len(a.Cookie), maxCookie)
	}
	e.str(actKind, a.Options.Kind())
	var err error
	// act_ctinfo refuses options without the flag, the others do not mind it.
	e.nestF(actOptions, func() {
		at := len(e.buf)
		err = a.Options.encode(e)
		if index := generalIndex(a.Options, decoder{e.order, e.buf[at:]}); index != nil {
			e.order.PutUint32(index, a.Index)
		}
	})
	if len(a.Cookie) > 0 {
		e.bytes(actCookie, a.Cookie)
	}
	return err
}

// generalIndex finds the bytes of the index in encoded options; nil when the
// kind is not known.
func generalIndex(o Options, d decoder) (index []byte) {
	a, known := o.(actionOptions)
	if !known {
		return nil
	}
	// What comes before a broken attribute is still good.
	_ = d.each(func(typ uint16, v value) {
		if typ == a.parms() && len(v.b) >= genSize {
			index = v.b[:4]
		}
	})
	return index
}

func decodeActions(d decoder) Actions {
	var list Actions
	// Actions behind a broken attribute are lost, the dump is not.
	_ = d.each(func(slot uint16, v value) { list = append(list, decodeAction(v.nested())) })
	return list
}

func decodeAction(d decoder) Action {
	var a Action
	var kind string
	var options *value
	_ = d.each(func(typ uint16, v value) {
		switch typ {
		case actKind:
			kind = v.str()
		case actOptions:
			options = &v
		case actIndex:
			a.Index = v.u32()
		case actCookie:
			a.Cookie = v.clone()
		case actStats:
			a.Stats = decodeStats("", &v, nil)
		}
	})
	a.Options = decodeOptions(actionKinds, kind, options)
	if a.Options == nil {
		a.Options = &Raw{kind: kind}
	}
	if _, known := a.Options.(actionOptions); known {
		if index := generalIndex(a.Options, options.nested()); index != nil {
			a.Index = d.order.Uint32(index)
		} else {
			a.Options = &Raw{kind: kind, Data: options.clone()}
		}
	}
	return a
}

// satisfied compares what was asked with a dump; the kernel's indexes and
// counters do not count.
func (list Actions) satisfied(have Actions) bool {
	if len(list) != len(have) {
		return false
	}
	for i, a := range list {
		if !Satisfied(a.Options, have[i].Options) || string(a.Cookie) != string(have[i].Cookie) ||
			a.Index != 0 && a.Index != have[i].Index {
			return false
		}
	}
	return true
}

// words spells the list for tc(8).
func (list Actions) words(names Names) []string {
	var out []string
	for _, a := range list {
		out = append(out, "action", a.Options.Kind())
		out = append(out, a.Options.Words(names)...)
		if a.Index != 0 {
			out = append(out, "index", numberText(a.Index))
		}
		if len(a.Cookie) > 0 {
			out = append(out, "cookie", hex.EncodeToString(a.Cookie))
		}
	}
	return out
}

// parse reads one action; the word "action" was consumed.
func (list *Actions) parse(w *words) error {
	if !w.more() {
		return errors.New(`"action" needs a kind`)
	}
	kind := "gact"
	t := wordTable{}
	addControlWords(t, func(Control) {})
	if _, bare := t[w.peek()]; !bare {
		kind = w.next()
	}
	make_, ok := actionKinds[kind]
	if !ok {
		return fmt.Errorf("unknown action %q", kind)
	}
	a := Action{Options: make_()}
	w.index = &a.Index
	if err := a.Options.parse(w); err != nil {
		return fmt.Errorf("action %s: %w", kind, err)
	}
	if err := (wordTable{"index": to(&a.Index, parseDecimal[uint32]), "cookie": to(&a.Cookie, parseCookie)}).parse(w); err != nil {
		return fmt.Errorf("action %s: %w", kind, err)
	}
	*list = append(*list, a)
	return nil
}

func parseCookie(s string) ([]byte, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) > maxCookie {
		return nil, fmt.Errorf("%q is not up to %d bytes in hexadecimal", s, maxCookie)
	}
	return b, nil
}

// RedirectTo sends packets out of another device instead, such as an IFB.
func RedirectTo(ifindex int) Action { return Action{Options: &Mirred{Ifindex: ifindex}} }

// RedirectsTo is the device that the actions send packets out of, if they do.
func (list Actions) RedirectsTo() (ifindex int, ok bool) {
	for _, a := range list {
		if m, is := a.Options.(*Mirred); is && !m.Mirror && !m.Ingress {
			return m.Ifindex, true
		}
	}
	return 0, false
}

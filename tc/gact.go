// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
	"strconv"
)

// Attributes of gact (TCA_GACT_*, linux/tc_act/tc_gact.h).
const (
	gactParms = 2
	gactProb  = 3
)

// Gact does nothing but its control: pass, drop, goto chain and so on,
// tc-actions(8).
type Gact struct {
	Control *Control    // nil for pass
	Random  *GactRandom // nil for always the same control
}

// GactRandom takes another control for one packet in Every.
type GactRandom struct {
	Counted bool   // exactly every Every-th packet (determ); otherwise at random (netrand)
	Every   uint16 // 1 to 10000
	Control Control
}

// Kind is "gact".
func (g *Gact) Kind() string { return "gact" }

func (g *Gact) parms() uint16                 { return gactParms }
func (g *Gact) control() (**Control, Control) { return &g.Control, ControlOK }

// encode appends tc_gen and, when asked for, u16 type (1 netrand, 2 determ), u16
// value, s32 control.
func (g *Gact) encode(e *encoder) error {
	e.general(g, 0)
	if r := g.Random; r != nil {
		p := e.space(gactProb, 8)
		e.order.PutUint16(p, 1)
		if r.Counted {
			e.order.PutUint16(p, 2)
		}
		e.order.PutUint16(p[2:], r.Every)
		e.order.PutUint32(p[4:], uint32(r.Control))
	}
	return nil
}

func (g *Gact) decode(d decoder) error {
	return d.each(func(typ uint16, v value) {
		switch typ {
		case gactParms:
			decodeGeneral(g, v)
		case gactProb:
			if kind := v.u16At(0); kind != 0 {
				g.Random = &GactRandom{Counted: kind == 2, Every: v.u16At(2), Control: Control(int32(v.u32At(4)))}
			}
		}
	})
}

func (g *Gact) satisfied(have Options) bool {
	h, ok := have.(*Gact)
	if !ok || !sameControl(g, h) || (g.Random == nil) != (h.Random == nil) {
		return false
	}
	return g.Random == nil || *g.Random == *h.Random
}

// Words spells the action for tc(8), which needs the control always.
func (g *Gact) Words(Names) []string {
	out := effectiveControl(g).words()
	if r := g.Random; r != nil {
		kind := "netrand"
		if r.Counted {
			kind = "determ"
		}
		out = append(append(out, "random", kind), append(r.Control.words(), strconv.Itoa(int(r.Every)))...)
	}
	return out
}

func (g *Gact) parse(w *words) error {
	err := parseAction(g, wordTable{"random": g.parseRandom}, w)
	if byIndex := w.more() && w.peek() == "index"; err == nil && g.Control == nil && !byIndex {
		return errors.New(`needs what to do, such as "pass" or "drop"`)
	}
	return err
}

func (g *Gact) parseRandom(w *words) error {
	r := &GactRandom{}
	kind, err := w.argument()
	if err != nil {
		return err
	}
	if kind != "netrand" && kind != "determ" {
		return fmt.Errorf(`random: %q is neither "netrand" nor "determ"`, kind)
	}
	r.Counted = kind == "determ"
	t := wordTable{}
	addControlWords(t, func(c Control) { r.Control = c })
	word, err := w.argument()
	if err != nil {
		return err
	}
	control, ok := t[word]
	if !ok {
		return fmt.Errorf("random: %q is nothing to do with a packet", word)
	}
	if err := control(w); err != nil {
		return err
	}
	every, err := take(w, parseWithin(1, 10000))
	r.Every = uint16(every)
	g.Random = r
	return err
}

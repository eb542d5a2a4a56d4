// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
)

const mirredParms = 2 // TCA_MIRRED_PARMS, linux/tc_act/tc_mirred.h

// Values of eaction in struct tc_mirred.
const (
	mirredEgressRedirect = iota + 1
	mirredEgressMirror
	mirredIngressRedirect
	mirredIngressMirror
)

// Mirred hands packets to another device, tc-mirred(8). The zero value redirects
// to a device's egress, which is how packets reach an IFB.
type Mirred struct {
	Mirror  bool // hand over a copy; otherwise the packet itself
	Ingress bool // as if it had arrived on the device; otherwise sent out of it
	Ifindex int
	// Control is nil for what tc(8) does: pipe for a mirror, stolen for a
	// redirect.
	Control *Control
}

// Kind is "mirred".
func (m *Mirred) Kind() string { return "mirred" }

func (m *Mirred) parms() uint16 { return mirredParms }

func (m *Mirred) control() (**Control, Control) {
	if m.Mirror {
		return &m.Control, ControlPipe
	}
	return &m.Control, ControlStolen
}

// encode appends tc_gen, s32 eaction and u32 ifindex.
func (m *Mirred) encode(e *encoder) error {
	eaction := uint32(mirredEgressRedirect)
	if m.Mirror {
		eaction = mirredEgressMirror
	}
	if m.Ingress {
		eaction += mirredIngressRedirect - mirredEgressRedirect
	}
	p := e.general(m, 8)
	e.order.PutUint32(p, eaction)
	e.order.PutUint32(p[4:], uint32(m.Ifindex))
	return nil
}

func (m *Mirred) decode(d decoder) error {
	var unknown error
	err := d.each(func(typ uint16, v value) {
		if typ != mirredParms {
			return
		}
		own := decodeGeneral(m, v)
		eaction := own.u32At(0)
		if eaction < mirredEgressRedirect || eaction > mirredIngressMirror {
			unknown = fmt.Errorf("unknown direction %d", eaction)
		}
		m.Mirror = eaction == mirredEgressMirror || eaction == mirredIngressMirror
		m.Ingress = eaction >= mirredIngressRedirect
		m.Ifindex = int(int32(own.u32At(4)))
	})
	return errors.Join(err, unknown)
}

func (m *Mirred) satisfied(have Options) bool {
	h, ok := have.(*Mirred)
	return ok && sameControl(m, h) && m.Mirror == h.Mirror && m.Ingress == h.Ingress && m.Ifindex == h.Ifindex
}

// Words spells the action for tc-mirred(8). A device that does not exist any
// more is "*", as tc(8) prints it.
func (m *Mirred) Words(names Names) []string {
	direction, verb := "egress", "redirect"
	if m.Ingress {
		direction = "ingress"
	}
	if m.Mirror {
		verb = "mirror"
	}
	return append([]string{direction, verb, "dev", deviceName(names, m.Ifindex)}, controlText(m)...)
}

func (m *Mirred) parse(w *words) error {
	verb := false
	err := parseAction(m, wordTable{
		"egress":   func(*words) error { m.Ingress = false; return nil },
		"ingress":  func(*words) error { m.Ingress = true; return nil },
		"redirect": func(*words) error { m.Mirror, verb = false, true; return nil },
		"mirror":   func(*words) error { m.Mirror, verb = true, true; return nil },
		"dev":      to(&m.Ifindex, func(name string) (int, error) { return deviceIndex(w.names, name) }),
		"index":    to(w.index, parseDecimal[uint32]),
	}, w)
	if err == nil && *w.index == 0 && (!verb || m.Ifindex == 0) {
		return errors.New(`needs "redirect" or "mirror" and "dev" with a device`)
	}
	return err
}

func deviceIndex(names Names, name string) (int, error) {
	if names != nil {
		if i := names.Index(name); i != 0 {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no device %q", name)
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Attributes of pedit (TCA_PEDIT_*, linux/tc_act/tc_pedit.h).
const (
	peditParms   = 2
	peditParmsEx = 4
	peditKeysEx  = 5
	peditKeyEx   = 6

	peditKeyHeader  = 1
	peditKeyCommand = 2
)

// PeditHeader is the header that an offset counts from (TCA_PEDIT_KEY_EX_*).
type PeditHeader uint16

// Headers.
const (
	PeditNetwork PeditHeader = iota // the network header, whatever it is
	PeditEthernet
	PeditIPv4
	PeditIPv6
	PeditTCP
	PeditUDP
)

// Pedit rewrites bits of a packet, tc-pedit(8). Checksums need [Csum] after it.
type Pedit struct {
	Keys []PeditKey // applied in order
	// Control is nil for ok, which ends the actions: pipe lets csum follow.
	Control *Control
}

// PeditKey changes one word: word = (word & Keep) ^ Value, or with Add word =
// (word & Keep) | ((word + Value) &^ Keep). The word and both numbers are four
// bytes in network order, read as a number.
type PeditKey struct {
	Header      PeditHeader
	Offset      int32 // bytes, a multiple of 4
	Add         bool
	Keep, Value uint32
	// At, OffMask and Shift move the offset by (byte at At & OffMask) >> Shift;
	// OffMask 0 usually.
	At, OffMask, Shift uint32
}

const (
	peditKeySize = 24
	peditMaxKeys = 128
)

// ClearDSCP sets the DSCP of IPv4 (0x0800) or IPv6 (0x86dd) packets to 0, keeps
// ECN, and goes on with the next action. The filter must be of that protocol.
func ClearDSCP(protocol uint16) Actions {
	if protocol == ProtocolIPv6 {
		return Actions{{Options: &Pedit{Control: ControlPipe.Ptr(), Keys: []PeditKey{{Header: PeditIPv6, Keep: ^uint32(0x3f << 22)}}}}}
	}
	return Actions{
		{Options: &Pedit{Control: ControlPipe.Ptr(), Keys: []PeditKey{{Header: PeditIPv4, Keep: ^uint32(0x3f << 18)}}}},
		{Options: &Csum{Update: CsumIPv4, Control: ControlPipe.Ptr()}},
	}
}

// Kind is "pedit".
func (p *Pedit) Kind() string { return "pedit" }

func (p *Pedit) control() (**Control, Control) { return &p.Control, ControlOK }

func (p *Pedit) parms() uint16 {
	if p.extended() {
		return peditParmsEx
	}
	return peditParms
}

// extended reports whether the keys need the attributes that came later.
func (p *Pedit) extended() bool {
	for _, k := range p.Keys {
		if k.Header != PeditNetwork || k.Add {
			return true
		}
	}
	return false
}

// encode appends tc_gen, u8 number of keys, u8 flags, 2 pad, and for each key the
// six u32 mask, value, off, at, offmask, shift. Mask and value lie in the packet's
// byte order.
func (p *Pedit) encode(e *encoder) error {
	if len(p.Keys) == 0 || len(p.Keys) > peditMaxKeys {
		return fmt.Errorf("pedit with %d keys, the kernel takes 1 to %d", len(p.Keys), peditMaxKeys)
	}
	own := e.general(p, 4+peditKeySize*len(p.Keys))
	own[0] = uint8(len(p.Keys))
	for i, k := range p.Keys {
		b := own[4+peditKeySize*i:]
		binary.BigEndian.PutUint32(b, k.Keep)
		binary.BigEndian.PutUint32(b[4:], k.Value)
		for j, n := range []uint32{uint32(k.Offset), k.At, k.OffMask, k.Shift} {
			e.order.PutUint32(b[8+4*j:], n)
		}
	}
	if p.extended() {
		e.nestF(peditKeysEx, func() { p.encodeHeaders(e) })
	}
	return nil
}

func (p *Pedit) encodeHeaders(e *encoder) {
	for _, k := range p.Keys {
		e.nestF(peditKeyEx, func() {
			command := uint16(0)
			if k.Add {
				command = 1
			}
			e.u16(peditKeyHeader, uint16(k.Header))
			e.u16(peditKeyCommand, command)
		})
	}
}

func (p *Pedit) decode(d decoder) error {
	var broken error
	var headers *value
	err := d.each(func(typ uint16, v value) {
		switch typ {
		case peditParms, peditParmsEx:
			broken = p.decodeKeys(decodeGeneral(p, v))
		case peditKeysEx:
			headers = &v
		}
	})
	if err = errors.Join(err, broken); err != nil || headers == nil {
		return err
	}
	return p.decodeHeaders(headers.nested())
}

func (p *Pedit) decodeKeys(v value) error {
	if len(v.b) < 4 || len(v.b) < 4+peditKeySize*int(v.b[0]) {
		return errTruncated
	}
	p.Keys = make([]PeditKey, v.b[0])
	for i := range p.Keys {
		at := 4 + peditKeySize*i
		p.Keys[i] = PeditKey{
			Keep: binary.BigEndian.Uint32(v.b[at:]), Value: binary.BigEndian.Uint32(v.b[at+4:]),
			Offset: int32(v.u32At(at + 8)), At: v.u32At(at + 12), OffMask: v.u32At(at + 16), Shift: v.u32At(at + 20),
		}
	}
	return nil
}

// decodeHeaders reads the list that runs beside the keys.
func (p *Pedit) decodeHeaders(d decoder) error {
	i := 0
	err := d.each(func(typ uint16, v value) {
		if i < len(p.Keys) && typ == peditKeyEx {
			k := &p.Keys[i]
			// A broken tail leaves the header that was read, or the network's.
			_ = v.nested().each(func(typ uint16, v value) {
				switch typ {
				case peditKeyHeader:
					k.Header = PeditHeader(v.u16())
				case peditKeyCommand:
					k.Add = v.u16() == 1
				}
			})
		}
		i++
	})
	if err == nil && i != len(p.Keys) {
		return fmt.Errorf("%d headers for %d keys", i, len(p.Keys))
	}
	return err
}

func (p *Pedit) satisfied(have Options) bool {
	h, ok := have.(*Pedit)
	if !ok || !sameControl(p, h) || len(p.Keys) != len(h.Keys) {
		return false
	}
	for i, k := range p.Keys {
		if k != h.Keys[i] {
			return false
		}
	}
	return true
}

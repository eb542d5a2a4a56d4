// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Attributes of u32 (TCA_U32_*, linux/pkt_cls.h).
const (
	u32ClassID = 1
	u32Hash    = 2
	u32Link    = 3
	u32Divisor = 4
	u32Sel     = 5
	u32Act     = 7
	u32InDev   = 8
	u32Mark    = 10
	u32Flags   = 11
)

// Flags of struct tc_u32_sel (TC_U32_*).
const (
	u32Terminal  = 1
	u32Offset    = 2
	u32VarOffset = 4
	u32Eat       = 8
)

// U32 matches words of a packet, tc-u32(8). Offsets are from the start of the
// network header.
type U32 struct {
	ClassID Handle // class that packets go to, 0 for none
	// Keys must match all. None matches every packet.
	Keys []U32Key
	// Mark is matched too, when given.
	Mark    *U32Mark
	InDev   string // only packets that arrived on this device, "" for any
	Actions Actions
	Flags   uint32 // SkipHardware ...
	// Terminal ends the search when the keys match. A class or actions imply it.
	Terminal bool

	// Hash is the hash table and bucket that the rule is in (a handle without
	// node); 0 for the root table of the preference.
	Hash uint32
	// Link is the hash table where the search goes on; 0 for none.
	Link uint32
	// Next says where the header is that a linked table looks at.
	Next *U32Next
	// Divisor makes this a hash table of that many buckets, a power of 2 up to
	// 256, and not a rule.
	Divisor uint32
	// Order is the rule's place among its siblings (the node of its handle), 1
	// to 0xfff; 0 lets the kernel append it. From a dump it is in Filter.Handle.
	Order uint16
}

// U32Key is one comparison: (word at Offset) & Mask == Value. The word and both
// numbers are four bytes in network order, read as a number.
type U32Key struct {
	Mask, Value uint32
	Offset      int32 // bytes, a multiple of 4
	// OffMask is -1 to count Offset from the next header, as a rule of a linked
	// table can; 0 usually.
	OffMask int32
}

// U32Mark compares the packet's firewall mark: mark & Mask == Value.
type U32Mark struct{ Value, Mask uint32 }

// U32Next finds the next header: Plus, and if Variable also (be16 at At & Mask)
// >> Shift; and what is hashed into the bucket of the linked table: the word at
// HashAt & HashMask.
type U32Next struct {
	Fixed, Variable, Eat bool
	Plus                 uint16 // bytes
	At                   int16  // bytes
	Mask                 uint16
	Shift                uint8 // bits
	HashMask             uint32
	HashAt               int16 // bytes
}

// String is the form of tc(8): "value/mask at offset".
func (k U32Key) String() string {
	return fmt.Sprintf("%08x/%08x at %s", k.Value, k.Mask, k.at())
}

func (k U32Key) at() string {
	if k.OffMask != 0 {
		return fmt.Sprintf("nexthdr+%d", k.Offset)
	}
	return fmt.Sprint(k.Offset)
}

// U32DSCP matches a DSCP, 0 to 63, of an IPv4 (0x0800) or IPv6 (0x86dd) packet.
func U32DSCP(protocol uint16, dscp uint8) U32Key {
	if protocol == ProtocolIPv6 {
		return U32Key{Mask: 0x3f << 22, Value: uint32(dscp) << 22}
	}
	return U32Key{Mask: 0x3f << 18, Value: uint32(dscp) << 18}
}

// Kind is "u32".
func (u *U32) Kind() string { return "u32" }

func (u *U32) terminal() bool { return u.Terminal || u.ClassID != 0 || len(u.Actions) > 0 }

// keys are the keys as tc(8) writes them: one that always matches instead of
// none.
func (u *U32) keys() []U32Key {
	if len(u.Keys) == 0 {
		return []U32Key{{}}
	}
	return u.Keys
}

const (
	u32SelSize = 16
	u32KeySize = 16
	u32MaxKeys = 128 // tc-u32(8)
)

func (u *U32) encode(e *encoder) error {
	if u.ClassID != 0 {
		e.u32(u32ClassID, uint32(u.ClassID))
	}
	if u.Divisor != 0 {
		e.u32(u32Divisor, u.Divisor)
	}
	if u.Link != 0 {
		e.u32(u32Link, u.Link)
	}
	if u.InDev != "" {
		e.str(u32InDev, u.InDev)
	}
	if u.Mark != nil {
		p := e.space(u32Mark, 12)
		e.order.PutUint32(p, u.Mark.Value)
		e.order.PutUint32(p[4:], u.Mark.Mask)
	}
	err := u.Actions.encode(e, u32Act)
	if u.Hash != 0 {
		e.u32(u32Hash, u.Hash)
	}
	if u.Divisor == 0 {
		if len(u.Keys) > u32MaxKeys {
			return fmt.Errorf("%d keys, the most are %d", len(u.Keys), u32MaxKeys)
		}
		u.encodeSelector(e)
	}
	if u.Flags&askedFlags != 0 {
		e.u32(u32Flags, u.Flags&askedFlags)
	}
	return err
}

// encodeSelector appends struct tc_u32_sel: u8 flags, u8 offshift, u8 nkeys, pad,
// be16 offmask, u16 off, s16 offoff, s16 hoff, be32 hmask; then for each key be32
// mask, be32 value, s32 off, s32 offmask.
func (u *U32) encodeSelector(e *encoder) {
	keys := u.keys()
	p := e.space(u32Sel, u32SelSize+u32KeySize*len(keys))
	if u.terminal() {
		p[0] |= u32Terminal
	}
	p[2] = uint8(len(keys))
	if n := u.Next; n != nil {
		for _, f := range []struct {
			set  bool
			flag byte
		}{{n.Fixed, u32Offset}, {n.Variable, u32VarOffset}, {n.Eat, u32Eat}} {
			if f.set {
				p[0] |= f.flag
			}
		}
		p[1] = n.Shift
		binary.BigEndian.PutUint16(p[4:], n.Mask)
		e.order.PutUint16(p[6:], n.Plus)
		e.order.PutUint16(p[8:], uint16(n.At))
		e.order.PutUint16(p[10:], uint16(n.HashAt))
		binary.BigEndian.PutUint32(p[12:], n.HashMask)
	}
	for i, k := range keys {
		b := p[u32SelSize+u32KeySize*i:]
		binary.BigEndian.PutUint32(b, k.Mask)
		binary.BigEndian.PutUint32(b[4:], k.Value&k.Mask)
		e.order.PutUint32(b[8:], uint32(k.Offset))
		e.order.PutUint32(b[12:], uint32(k.OffMask))
	}
}

func (u *U32) decode(d decoder) error {
	var broken error
	err := d.each(func(typ uint16, v value) {
		switch typ {
		case u32ClassID:
			u.ClassID = Handle(v.u32())
		case u32Hash:
			u.Hash = v.u32()
		case u32Link:
			u.Link = v.u32()
		case u32Divisor:
			u.Divisor = v.u32()
		case u32Sel:
			broken = u.decodeSelector(v)
		case u32Act:
			u.Actions = decodeActions(v.nested())
		case u32InDev:
			u.InDev = v.str()
		case u32Mark:
			u.Mark = &U32Mark{Value: v.u32At(0), Mask: v.u32At(4)}
		case u32Flags:
			u.Flags = v.u32()
		}
	})
	return errors.Join(err, broken)
}

func (u *U32) decodeSelector(v value) error {
	if len(v.b) < u32SelSize {
		return errTruncated
	}
	flags, nkeys := v.b[0], int(v.b[2])
	if len(v.b) < u32SelSize+u32KeySize*nkeys {
		return errTruncated
	}
	u.Terminal = flags&u32Terminal != 0
	next := U32Next{
		Fixed: flags&u32Offset != 0, Variable: flags&u32VarOffset != 0, Eat: flags&u32Eat != 0,
		Shift: v.b[1], Mask: binary.BigEndian.Uint16(v.b[4:]), Plus: v.u16At(6), At: int16(v.u16At(8)),
		HashAt: int16(v.u16At(10)), HashMask: binary.BigEndian.Uint32(v.b[12:]),
	}
	if next != (U32Next{}) {
		u.Next = &next
	}
	u.Keys = nil
	for i := 0; i < nkeys; i++ {
		at := u32SelSize + u32KeySize*i
		u.Keys = append(u.Keys, U32Key{
			Mask: binary.BigEndian.Uint32(v.b[at:]), Value: binary.BigEndian.Uint32(v.b[at+4:]),
			Offset: int32(v.u32At(at + 8)), OffMask: int32(v.u32At(at + 12)),
		})
	}
	return nil
}

func (u *U32) satisfied(have Options) bool {
	h, ok := have.(*U32)
	if !ok || len(u.keys()) != len(h.keys()) || u.Divisor != h.Divisor {
		return false
	}
	for i, k := range u.keys() {
		k.Value &= k.Mask
		if k != h.keys()[i] {
			return false
		}
	}
	return u.ClassID == h.ClassID && u.terminal() == h.terminal() && equal(u.Mark, h.Mark) && u.InDev == h.InDev &&
		u.Flags&askedFlags == h.Flags&askedFlags && u.Link == h.Link && equal(u.Next, h.Next) &&
		u.hash() == h.hash() && u.Actions.satisfied(h.Actions)
}

// hash is 0 for the root tables that the kernel makes, of numbers it chooses.
func (u *U32) hash() uint32 {
	if u.Hash >= u32FirstOwnTable && u.Hash&u32BucketMask == 0 {
		return 0
	}
	return u.Hash
}

// The tables 0x800 to 0xfff are the kernel's to give out (net/sched/cls_u32.c).
const (
	u32FirstOwnTable = 0x800 << 20
	u32BucketMask    = 0xff << 12
	u32NodeMask      = 0xfff
)

// table reports whether this is a hash table of u32 and not a rule.
func (f Filter) table() bool {
	u, ok := f.Options.(*U32)
	return ok && u.Divisor != 0
}

// prepare puts the order into the handle.
func (u *U32) prepare(f Filter) Filter {
	f.Handle |= uint32(u.Order & u32NodeMask)
	return f
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Options are the parameters of one kind of qdisc, class, filter or action.
// Optional fields of implementations are pointers: nil means "not given", which
// the kernel takes as its default when creating and as "leave as it is" when
// changing.
type Options interface {
	// Kind is the kernel's name, such as "cake".
	Kind() string
	// Words are the tc(8) words behind the kind, so that tc(8) given them sends
	// the same options. names turns an ifindex into a device name.
	Words(names Names) []string

	// encode appends the contents of TCA_OPTIONS.
	encode(e *encoder) error
	// decode reads TCA_OPTIONS as dumped. Unknown attributes are skipped.
	decode(d decoder) error
	// parse reads tc(8) words, the last one winning. It consumes all words it
	// knows and stops at the first that it does not know.
	parse(w *words) error
	// satisfied reports whether have, as dumped, is what these options ask for:
	// every given field equal to the kernel's after the kernel's rounding.
	satisfied(have Options) bool
}

// Names resolves device indexes for tc(8) text and device names for parsing.
type Names interface {
	// Name is the device with that index, or "" when there is none.
	Name(ifindex int) string
	// Index is the device's index, or 0 when there is none.
	Index(name string) int
}

// Qdisc is a queueing discipline on one device.
type Qdisc struct {
	Ifindex int
	// Handle is 0: for a kernel default qdisc, and 0 in a request lets the
	// kernel choose (8xxx:).
	Handle Handle
	// Parent is Root, IngressParent, or a class.
	Parent  Handle
	Kind    string
	Options Options    // nil when the kind has none, or to leave all defaults
	Stab    *SizeTable // nil when there is none; only a root qdisc can have one
	// IngressBlock and EgressBlock are shared block indexes; 0 for none.
	IngressBlock, EgressBlock uint32
	Stats                     *Stats // from a dump
}

// Default reports whether the kernel put this qdisc there by itself.
func (q Qdisc) Default() bool { return q.Handle.Major() == 0 }

// Class is a class of a classful qdisc.
type Class struct {
	Ifindex int
	Handle  Handle // class id
	Parent  Handle // class id, or the qdisc's handle, or Root
	Leaf    Handle // handle of the qdisc under it; from a dump
	Kind    string
	Options Options
	Stats   *Stats // from a dump
}

// Filter is one classifier instance.
type Filter struct {
	Ifindex  int
	Parent   Handle // qdisc handle, IngressHook or EgressHook
	Pref     uint16 // 1 to 65535, lowest first; 0 in a request lets the kernel choose
	Protocol uint16 // ETH_P_*, in host order: 0x0003 all, 0x0800 IPv4, 0x86dd IPv6
	Chain    uint32
	// Handle is the classifier's own: the mark for fw, the node for u32; 0 lets
	// the kernel choose.
	Handle  uint32
	Kind    string
	Options Options
}

// rtnetlink attributes of a traffic control message (linux/rtnetlink.h).
const (
	tcaKind         = 1
	tcaOptions      = 2
	tcaXstats       = 4
	tcaStats2       = 7
	tcaStab         = 8
	tcaChain        = 11
	tcaIngressBlock = 13
	tcaEgressBlock  = 14
)

const tcmsgSize = 20

// tcmsg starts a message body: u8 family, 3 pad, s32 ifindex, u32 handle, u32
// parent, u32 info.
func tcmsg(order binary.ByteOrder, ifindex int, handle, parent Handle, info uint32) *encoder {
	e := newEncoder(order)
	e.buf = make([]byte, tcmsgSize, 256)
	order.PutUint32(e.buf[4:], uint32(ifindex))
	order.PutUint32(e.buf[8:], uint32(handle))
	order.PutUint32(e.buf[12:], uint32(parent))
	order.PutUint32(e.buf[16:], info)
	return e
}

func (q Qdisc) message(order binary.ByteOrder) ([]byte, error) {
	e := tcmsg(order, q.Ifindex, q.Handle, q.Parent, 0)
	if q.Kind != "" {
		e.str(tcaKind, q.Kind)
	}
	if q.IngressBlock != 0 {
		e.u32(tcaIngressBlock, q.IngressBlock)
	}
	if q.EgressBlock != 0 {
		e.u32(tcaEgressBlock, q.EgressBlock)
	}
	if err := encodeOptions(e, q.Options); err != nil {
		return nil, fmt.Errorf("qdisc %s: %w", q.Kind, err)
	}
	if q.Stab != nil {
		var err error
		e.nest(tcaStab, func() { err = q.Stab.encode(e) })
		if err != nil {
			return nil, fmt.Errorf("qdisc %s: %w", q.Kind, err)
		}
	}
	return e.buf, nil
}

func (c Class) message(order binary.ByteOrder) ([]byte, error) {
	e := tcmsg(order, c.Ifindex, c.Handle, c.Parent, 0)
	if c.Kind != "" {
		e.str(tcaKind, c.Kind)
	}
	if err := encodeOptions(e, c.Options); err != nil {
		return nil, fmt.Errorf("class %s: %w", c.Kind, err)
	}
	return e.buf, nil
}

// preparer is implemented by filter kinds of which the header of the message and
// the options depend on each other.
type preparer interface{ prepare(f Filter) Filter }

func (f Filter) message(order binary.ByteOrder) ([]byte, error) {
	if p, ok := f.Options.(preparer); ok {
		f = p.prepare(f)
	}
	e := tcmsg(order, f.Ifindex, Handle(f.Handle), f.Parent, uint32(f.Pref)<<16|uint32(networkOrder(order, f.Protocol)))
	if f.Kind != "" {
		e.str(tcaKind, f.Kind)
	}
	if f.Chain != 0 {
		e.u32(tcaChain, f.Chain)
	}
	if err := encodeOptions(e, f.Options); err != nil {
		return nil, fmt.Errorf("filter %s: %w", f.Kind, err)
	}
	return e.buf, nil
}

// networkOrder gives the value that, stored in the machine's order, has p's
// bytes in network order: tcm_info carries a __be16.
func networkOrder(order binary.ByteOrder, p uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], p)
	return order.Uint16(b[:])
}

func encodeOptions(e *encoder, o Options) error {
	if o == nil {
		return nil
	}
	typ := uint16(tcaOptions)
	if f, ok := o.(framer); ok {
		flags, present := f.frame()
		if !present {
			return nil
		}
		typ |= flags
	}
	var err error
	e.nest(typ, func() { err = o.encode(e) })
	return err
}

// framer is implemented by kinds whose TCA_OPTIONS is not always a plain nest:
// frame gives its flag bits, and whether it is sent at all.
type framer interface {
	frame() (flags uint16, present bool)
}

// header is the fixed part of a dumped message and its top-level attributes.
type header struct {
	ifindex        int
	handle, parent Handle
	info           uint32
	kind           string
	options        *value
	stats2, xstats *value
	stab           *value
	chain          uint32
	blocks         [2]uint32
}

func decodeHeader(order binary.ByteOrder, body []byte) (header, error) {
	var h header
	if len(body) < tcmsgSize {
		return h, errTruncated
	}
	h.ifindex = int(int32(order.Uint32(body[4:])))
	h.handle = Handle(order.Uint32(body[8:]))
	h.parent = Handle(order.Uint32(body[12:]))
	h.info = order.Uint32(body[16:])
	err := decoder{order, body[tcmsgSize:]}.each(func(typ uint16, v value) {
		switch typ {
		case tcaKind:
			h.kind = v.str()
		case tcaOptions:
			h.options = &v
		case tcaXstats:
			h.xstats = &v
		case tcaStats2:
			h.stats2 = &v
		case tcaStab:
			h.stab = &v
		case tcaChain:
			h.chain = v.u32()
		case tcaIngressBlock:
			h.blocks[0] = v.u32()
		case tcaEgressBlock:
			h.blocks[1] = v.u32()
		}
	})
	return h, err
}

// decodeOptions reads a kind's options. Options that the kind's decoder refuses
// are kept raw: a dump never fails because of one object.
func decodeOptions(make_ map[string]func() Options, kind string, v *value) Options {
	if v == nil {
		if known, ok := make_[kind]; ok {
			if o, none := known().(*None); none {
				return o
			}
		}
		return nil
	}
	if known, ok := make_[kind]; ok {
		o := known()
		if o.decode(v.nested()) == nil {
			if r, ok := o.(restorer); ok {
				r.restore()
			}
			return o
		}
	}
	return &Raw{kind: kind, Data: v.clone()}
}

// restorer is implemented by kinds of which the kernel rounds numbers down:
// restore puts in their place numbers that are rounded to them.
type restorer interface{ restore() }

func decodeQdisc(order binary.ByteOrder, body []byte) (Qdisc, error) {
	h, err := decodeHeader(order, body)
	if err != nil {
		return Qdisc{}, err
	}
	q := Qdisc{
		Ifindex: h.ifindex, Handle: h.handle, Parent: h.parent, Kind: h.kind,
		Options:      decodeOptions(qdiscKinds, h.kind, h.options),
		IngressBlock: h.blocks[0], EgressBlock: h.blocks[1],
		Stats: decodeStats(h.kind, h.stats2, h.xstats),
	}
	if q.Kind == "sfq" && q.Stats != nil && h.options != nil {
		q.Stats.SFQ = decodeSFQStats(*h.options)
	}
	if h.stab != nil {
		q.Stab = decodeSizeTable(h.stab.nested())
	}
	return q, nil
}

func decodeClass(order binary.ByteOrder, body []byte) (Class, error) {
	h, err := decodeHeader(order, body)
	if err != nil {
		return Class{}, err
	}
	return Class{
		Ifindex: h.ifindex, Handle: h.handle, Parent: h.parent, Leaf: Handle(h.info), Kind: h.kind,
		Options: decodeOptions(classKinds, h.kind, h.options),
		Stats:   decodeStats(h.kind+" class", h.stats2, h.xstats),
	}, nil
}

func decodeFilter(order binary.ByteOrder, body []byte) (Filter, error) {
	h, err := decodeHeader(order, body)
	if err != nil {
		return Filter{}, err
	}
	return Filter{
		Ifindex: h.ifindex, Handle: uint32(h.handle), Parent: h.parent, Kind: h.kind, Chain: h.chain,
		Pref: uint16(h.info >> 16), Protocol: networkOrder(order, uint16(h.info)),
		Options: decodeOptions(filterKinds, h.kind, h.options),
	}, nil
}

// text joins words for one tc(8) line, leaving out empty ones.
func text(words ...string) string {
	kept := words[:0]
	for _, w := range words {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

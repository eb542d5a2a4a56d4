// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
)

// What can stand behind "match", tc-u32(8). A field of one, two or four bytes is
// followed by its value and a hexadecimal mask; other offsets than these are
// said with "at".

// u32Field is a field with a value and a mask.
type u32Field struct {
	at   int32 // bytes
	size int   // bytes
	left int   // bits that the field lies left of its place
	next bool  // the offset counts from the next header
}

// u32Fields are the fields by the words behind "match".
var u32Fields = map[string]map[string]u32Field{
	"u32": {"": {size: 4}},
	"u16": {"": {size: 2}},
	"u8":  {"": {size: 1}},
	"ip": {
		"tos": {at: 1, size: 1}, "dsfield": {at: 1, size: 1}, "precedence": {at: 1, size: 1},
		"ihl": {at: 0, size: 1}, "protocol": {at: 9, size: 1},
		"sport": {at: 20, size: 2}, "dport": {at: 22, size: 2}, // as if there were no IP options
		"icmp_type": {at: 20, size: 1}, "icmp_code": {at: 21, size: 1},
	},
	"ip6": {
		"priority": {at: 1, size: 1, left: 4}, "protocol": {at: 6, size: 1}, "flowlabel": {at: 0, size: 4},
		"sport": {at: 40, size: 2}, "dport": {at: 42, size: 2},
		"icmp_type": {at: 40, size: 1}, "icmp_code": {at: 41, size: 1},
	},
	"tcp":  {"src": {at: 0, size: 2, next: true}, "dst": {at: 2, size: 2, next: true}},
	"udp":  {"src": {at: 0, size: 2, next: true}, "dst": {at: 2, size: 2, next: true}},
	"icmp": {"type": {at: 0, size: 1, next: true}, "code": {at: 1, size: 1, next: true}},
}

// u32Fragments are tests of the IPv4 flags and fragment offset that need no
// value.
var u32Fragments = map[string]U32Key{
	"nofrag":    {Mask: 0x3fff, Offset: 4},
	"firstfrag": {Mask: 0x3fff, Value: 0x2000, Offset: 4},
	"df":        {Mask: 0x4000, Value: 0x4000, Offset: 4},
	"mf":        {Mask: 0x2000, Value: 0x2000, Offset: 4},
}

// u32Addresses are where addresses begin.
var u32Addresses = map[string]map[string]int32{
	"ip":    {"src": 12, "dst": 16},
	"ip6":   {"src": 8, "dst": 24},
	"ether": {"src": -8, "dst": -14},
}

func (u *U32) parseMatch(w *words) error {
	what, err := w.argument()
	if err != nil {
		return err
	}
	if what == "mark" {
		return u.parseMark(w)
	}
	field := ""
	if _, plain := u32Fields[what][""]; !plain {
		if u32Fields[what] == nil && u32Addresses[what] == nil {
			return fmt.Errorf("match: there is no %q", what)
		}
		if field, err = w.argument(); err != nil {
			return err
		}
	}
	keys, err := parseU32Keys(w, what, field)
	if err != nil {
		return fmt.Errorf("match %s: %w", text(what, field), err)
	}
	for _, k := range keys {
		if err := u.addKey(k); err != nil {
			return fmt.Errorf("match %s: %w", text(what, field), err)
		}
	}
	return nil
}

func parseU32Keys(w *words, what, field string) ([]U32Key, error) {
	if k, ok := u32Fragments[field]; ok && what == "ip" {
		return []U32Key{k}, nil
	}
	if at, ok := u32Addresses[what][field]; ok {
		return parseU32Address(w, what, at)
	}
	if f, ok := u32Fields[what][field]; ok {
		k, err := f.parse(w)
		return []U32Key{k}, err
	}
	return nil, errors.New("there is no such field")
}

// parse reads VALUE MASK [at OFFSET].
func (f u32Field) parse(w *words) (U32Key, error) {
	v, err := take(w, parseU32)
	if err != nil {
		return U32Key{}, err
	}
	mask, err := take(w, parseHex32)
	if err != nil {
		return U32Key{}, err
	}
	most := uint32(math.MaxUint32 >> (32 - 8*f.size))
	if v > most || mask > most {
		return U32Key{}, fmt.Errorf("%#x with mask %#x is more than %d bytes", v, mask, f.size)
	}
	k := U32Key{Offset: f.at}
	if f.next {
		k.OffMask = -1
	}
	if f.left == 0 {
		if err := k.parseAt(w); err != nil {
			return k, err
		}
	}
	return k.inWord(v, mask, f)
}

// inWord moves the value to its place in the word that its offset is in. As in
// tc(8), a u16 that does not begin the word is its second half.
func (k U32Key) inWord(v, mask uint32, f u32Field) (U32Key, error) {
	inner := int(k.Offset & 3)
	var left int
	switch f.size {
	case 4:
		if inner != 0 {
			return k, fmt.Errorf("offset %d is not a multiple of 4", k.Offset)
		}
	case 2:
		if inner == 0 {
			left = 16
		}
	default:
		left = 24 - 8*inner + f.left
	}
	k.Offset &^= 3
	k.Mask, k.Value = mask<<left, v&mask<<left
	return k, nil
}

// parseAt reads [at [nexthdr+]OFFSET].
func (k *U32Key) parseAt(w *words) error {
	if !w.more() || w.peek() != "at" {
		return nil
	}
	w.next()
	at, err := w.argument()
	if err != nil {
		return err
	}
	if rest, next := strings.CutPrefix(at, "nexthdr+"); next {
		k.OffMask = -1
		if at = rest; at == "" {
			if at, err = w.argument(); err != nil {
				return err
			}
		}
	}
	k.Offset, err = parseWithin(math.MinInt32, math.MaxInt32)(at)
	return err
}

// parseU32Address reads an address with a prefix length, or a hardware address,
// and [at OFFSET].
func parseU32Address(w *words, what string, at int32) ([]U32Key, error) {
	word, err := w.argument()
	if err != nil {
		return nil, err
	}
	place := U32Key{Offset: at}
	if err := place.parseAt(w); err != nil {
		return nil, err
	}
	var addr, mask []byte
	if what == "ether" {
		m, err := parseMAC(word)
		if err != nil {
			return nil, err
		}
		addr, mask = m[:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	} else {
		prefix, err := parsePrefix(word, what == "ip6")
		if err != nil {
			return nil, err
		}
		addr, mask = prefix.Addr.AsSlice(), prefix.Mask.AsSlice()
	}
	return place.overWords(addr, mask, what == "ip")
}

// overWords compares bytes word by word. A word without a bit to compare is left
// out, unless whole asks for it: tc(8) keeps an IPv4 address of length 0.
func (k U32Key) overWords(addr, mask []byte, whole bool) ([]U32Key, error) {
	var keys []U32Key
	first := k.Offset
	for i := range addr {
		b, err := U32Key{Offset: first + int32(i), OffMask: k.OffMask}.inWord(uint32(addr[i]), uint32(mask[i]), u32Field{size: 1})
		if err != nil {
			return nil, err
		}
		if n := len(keys); n > 0 && keys[n-1].Offset == b.Offset {
			keys[n-1].Mask |= b.Mask
			keys[n-1].Value |= b.Value
		} else {
			keys = append(keys, b)
		}
	}
	if len(mask) != 6 && first%4 != 0 {
		return nil, fmt.Errorf("offset %d is not a multiple of 4", first)
	}
	kept := keys[:0]
	for _, k := range keys {
		if k.Mask != 0 || whole {
			kept = append(kept, k)
		}
	}
	return kept, nil
}

// addKey joins comparisons of one word, as tc(8) does.
func (u *U32) addKey(k U32Key) error {
	k.Value &= k.Mask
	for i := range u.Keys {
		have := &u.Keys[i]
		if have.Offset != k.Offset || have.OffMask != k.OffMask {
			continue
		}
		if (have.Value^k.Value)&have.Mask&k.Mask != 0 {
			return errors.New("contradicts another match of the same bits")
		}
		have.Value |= k.Value
		have.Mask |= k.Mask
		return nil
	}
	if len(u.Keys) == u32MaxKeys {
		return fmt.Errorf("more than %d words to compare", u32MaxKeys)
	}
	u.Keys = append(u.Keys, k)
	return nil
}

func (u *U32) parseMark(w *words) error {
	v, err := take(w, parseU32)
	if err != nil {
		return err
	}
	mask, err := take(w, parseU32)
	if err != nil {
		return err
	}
	if v&^mask != 0 {
		return fmt.Errorf("match mark: %#x has bits outside of the mask %#x", v, mask)
	}
	u.Mark = &U32Mark{Value: v, Mask: mask}
	return nil
}

// parsePrefix reads an address with or without a prefix length or an IPv4
// netmask; "any", "all" and "default" match every address.
func parsePrefix(s string, v6 bool) (*FlowerAddr, error) {
	family := "IPv4"
	if v6 {
		family = "IPv6"
	}
	bad := fmt.Errorf("%q is not an %s address", s, family)
	if s == "any" || s == "all" || s == "default" {
		zero := netip.IPv4Unspecified()
		if v6 {
			zero = netip.IPv6Unspecified()
		}
		return FlowerPrefix(netip.PrefixFrom(zero, 0)), nil
	}
	text, length, slash := strings.Cut(s, "/")
	addr, err := netip.ParseAddr(text)
	if err != nil || addr.Is4() == v6 || addr.Zone() != "" {
		return nil, bad
	}
	if !slash {
		return FlowerPrefix(netip.PrefixFrom(addr, addr.BitLen())), nil
	}
	if mask, err := netip.ParseAddr(length); err == nil && mask.BitLen() == addr.BitLen() {
		return &FlowerAddr{addr, mask}, nil
	}
	bits, err := parseWithin(0, int32(addr.BitLen()))(length)
	if err != nil {
		return nil, bad
	}
	return FlowerPrefix(netip.PrefixFrom(addr, int(bits))), nil
}

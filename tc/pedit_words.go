// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
)

// peditField is a field that tc-pedit(8) has a word for.
type peditField struct {
	header PeditHeader
	name   string
	at     int32  // byte in the header
	size   int    // bytes
	retain uint32 // bits that change when nothing else is said
	shift  int    // bits that the field lies left of its byte
	ttl    bool   // can be decremented
	v4     bool   // the value is an IPv4 address
}

// peditFields are the fields of one word; of several that would do, the first is
// written.
var peditFields = []peditField{
	{header: PeditIPv4, name: "src", at: 12, size: 4, retain: math.MaxUint32, v4: true},
	{header: PeditIPv4, name: "dst", at: 16, size: 4, retain: math.MaxUint32, v4: true},
	{header: PeditIPv4, name: "dsfield", at: 1, size: 1, retain: 0xff},
	{header: PeditIPv4, name: "tos", at: 1, size: 1, retain: 0xff},
	{header: PeditIPv4, name: "precedence", at: 1, size: 1, retain: 0xff},
	{header: PeditIPv4, name: "ihl", at: 0, size: 1, retain: 0x0f},
	{header: PeditIPv4, name: "ttl", at: 8, size: 1, retain: 0xff, ttl: true},
	{header: PeditIPv4, name: "protocol", at: 9, size: 1, retain: 0xff},
	{header: PeditIPv4, name: "nofrag", at: 6, size: 1, retain: 0x3f},
	{header: PeditIPv4, name: "firstfrag", at: 6, size: 1, retain: 0x1f},
	{header: PeditIPv4, name: "ce", at: 6, size: 1, retain: 0x80},
	{header: PeditIPv4, name: "df", at: 6, size: 1, retain: 0x40},
	{header: PeditIPv4, name: "mf", at: 6, size: 1, retain: 0x20},
	{header: PeditIPv6, name: "traffic_class", at: 1, size: 1, retain: 0xff, shift: 4},
	{header: PeditIPv6, name: "nexthdr", at: 6, size: 1, retain: 0xff},
	{header: PeditIPv6, name: "hoplimit", at: 7, size: 1, retain: 0xff, ttl: true},
	{header: PeditIPv6, name: "payload_len", at: 4, size: 2, retain: 0xffff},
	{header: PeditIPv6, name: "flow_lbl", at: 0, size: 4, retain: 0x0007ffff},
	{header: PeditTCP, name: "sport", at: 0, size: 2, retain: 0xffff},
	{header: PeditTCP, name: "dport", at: 2, size: 2, retain: 0xffff},
	{header: PeditTCP, name: "flags", at: 13, size: 1, retain: 0xff},
	{header: PeditUDP, name: "sport", at: 0, size: 2, retain: 0xffff},
	{header: PeditUDP, name: "dport", at: 2, size: 2, retain: 0xffff},
	{header: PeditEthernet, name: "type", at: 12, size: 2, retain: 0xffff},
}

// peditHeaders are the words of the headers; the network's fields are reached by
// offset.
var peditHeaders = []string{PeditNetwork: "", PeditEthernet: "eth", PeditIPv4: "ip", PeditIPv6: "ip6", PeditTCP: "tcp", PeditUDP: "udp"}

func (f peditField) text(v uint32) string {
	if f.v4 {
		return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}).String()
	}
	return hexText(v)
}

func (f peditField) read(s string) (uint32, error) {
	if !f.v4 {
		return parseU32(s)
	}
	a, err := parsePrefix(s, false)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(a.Addr.AsSlice()), nil
}

// mask is all bits of the field's bytes, as a number of its size.
func (f peditField) mask() uint32 { return math.MaxUint32 >> (32 - 8*f.size) }

// left is how far the field is from the right end of its word, in bits.
func (f peditField) left() int { return 32 - 8*(int(f.at&3)+f.size) + f.shift }

// Words spells the action for tc-pedit(8). A key that tc(8) has no word for is
// spelled as tc(8) prints it, which it does not read.
func (p *Pedit) Words(Names) []string {
	var out []string
	if p.extended() {
		out = append(out, "ex")
	}
	for _, k := range p.Keys {
		out = append(out, k.words()...)
	}
	return append(out, controlText(p)...)
}

func (k PeditKey) words() []string {
	if k.Header == PeditNetwork {
		return k.rawWords([]string{"offset", numberText(k.Offset), "u32"})
	}
	changed := k.Value | ^k.Keep
	for _, f := range peditFields {
		if f.header == k.Header && f.at&^3 == k.Offset && changed&^(f.mask()<<f.left()) == 0 && k.OffMask == 0 && k.At == 0 && k.Shift == 0 {
			return k.changeWords([]string{peditHeaders[k.Header], f.name}, f)
		}
	}
	header := "header" + numberText(uint16(k.Header))
	if int(k.Header) < len(peditHeaders) {
		header = peditHeaders[k.Header]
	}
	return k.rawWords([]string{fmt.Sprintf("%s%+d", header, k.Offset), "u32"})
}

func (k PeditKey) rawWords(place []string) []string {
	if k.OffMask != 0 || k.At != 0 || k.Shift != 0 {
		place = append(place, "at", numberText(k.At), hexText(k.OffMask), numberText(k.Shift))
	}
	return k.changeWords(place, peditField{size: 4, retain: math.MaxUint32})
}

// changeWords says what becomes of a field: its bits that are set anew, and those
// that are inverted, which takes two of tc's words.
func (k PeditKey) changeWords(place []string, f peditField) []string {
	keep, v := k.Keep>>f.left()&f.mask(), k.Value>>f.left()&f.mask()
	munge := func(changed uint32, command ...string) []string {
		out := append(append([]string{"munge"}, place...), command...)
		if changed != f.retain {
			out = append(out, "retain", hexText(changed))
		}
		return out
	}
	changed := ^keep & f.mask()
	switch {
	case k.Add:
		return munge(changed, "add", f.text(v))
	case v&keep == 0:
		return munge(changed, "set", f.text(v))
	case changed == 0:
		return munge(v, "invert")
	}
	return append(munge(changed, "set", f.text(v&^keep)), munge(v&keep, "invert")...)
}

func (p *Pedit) parse(w *words) error {
	ex := false
	err := parseAction(p, wordTable{
		"ex":    func(*words) error { ex = true; return nil },
		"munge": func(w *words) error { return p.parseMunge(w, ex) },
	}, w)
	if byIndex := w.more() && w.peek() == "index"; err == nil && len(p.Keys) == 0 && !byIndex {
		return errors.New(`needs "munge" and what to change`)
	}
	return err
}

// parseMunge reads one change; without ex, tc(8) reaches only the network header.
func (p *Pedit) parseMunge(w *words, ex bool) error {
	place, err := w.argument()
	if err != nil {
		return err
	}
	var k PeditKey
	var f peditField
	if place == "offset" {
		f, err = k.parseOffset(w)
	} else {
		f, err = parseField(w, place, ex)
	}
	if err != nil {
		return fmt.Errorf("munge %s: %w", place, err)
	}
	if ex {
		k.Header = f.header
	}
	k.Offset = f.at &^ 3
	if err := k.parseChange(w, f, ex); err != nil {
		return fmt.Errorf("munge %s: %w", place, err)
	}
	p.Keys = append(p.Keys, k)
	return nil
}

// parseOffset reads N u8|u16|u32 [at AT OFFMASK SHIFT].
func (k *PeditKey) parseOffset(w *words) (peditField, error) {
	var f peditField
	at, err := take(w, parseWithin(math.MinInt32, math.MaxInt32))
	if err != nil {
		return f, err
	}
	f.at = at
	width, err := w.argument()
	if err != nil {
		return f, err
	}
	switch width {
	case "u8":
		f.size = 1
	case "u16":
		f.size = 2
	case "u32":
		f.size = 4
	default:
		return f, fmt.Errorf("%q is not u8, u16 or u32", width)
	}
	if int(f.at&3)+f.size > 4 {
		return f, fmt.Errorf("%s at %d does not lie in one word", width, at)
	}
	f.retain = f.mask()
	if w.more() && w.peek() == "at" {
		w.next()
		for _, field := range []struct {
			to   *uint32
			read func(string) (uint32, error)
		}{{&k.At, parseU32}, {&k.OffMask, parseHex32}, {&k.Shift, parseU32}} {
			if *field.to, err = take(w, field.read); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

func parseField(w *words, header string, ex bool) (peditField, error) {
	name, err := w.argument()
	if err != nil {
		return peditField{}, err
	}
	for _, f := range peditFields {
		if f.name == name && peditHeaders[f.header] == header && (ex || f.header == PeditIPv4) {
			return f, nil
		}
	}
	if !ex {
		return peditField{}, fmt.Errorf(`no field %q without "ex"`, name)
	}
	return peditField{}, fmt.Errorf("no field %q", name)
}

// parseChange reads set V, add V, invert, clear, preserve or decrement, and
// [retain MASK].
func (k *PeditKey) parseChange(w *words, f peditField, ex bool) error {
	command, err := w.argument()
	if err != nil {
		return err
	}
	retain := f.retain
	var v, keep uint32
	switch command {
	case "set", "add":
		v, err = take(w, f.read)
		k.Add = command == "add"
	case "invert":
		v, keep = f.mask(), f.mask()
	case "decrement":
		if !f.ttl {
			return errors.New("only ttl and hoplimit can be decremented")
		}
		v, k.Add = retain, true // by overflow
	case "preserve":
		retain = 0
	case "clear":
	default:
		return fmt.Errorf("%q is not set, add, invert, clear, preserve or decrement", command)
	}
	if err != nil {
		return err
	}
	if k.Add && !ex {
		return fmt.Errorf(`%s needs "ex"`, command)
	}
	if v > f.mask() {
		return fmt.Errorf("%#x does not fit into %d bytes", v, f.size)
	}
	if w.more() && w.peek() == "retain" {
		w.next()
		if retain, err = take(w, parseU32); err != nil {
			return err
		}
	}
	k.Value = v & retain << f.left()
	k.Keep = (keep|^retain)&f.mask()<<f.left() | ^(f.mask() << f.left())
	return nil
}

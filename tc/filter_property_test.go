// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"math/rand"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var bothOrders = []binary.ByteOrder{binary.LittleEndian, binary.BigEndian}

// draw makes filters at random, such as decoding gives them: all that has a
// default is filled in.
type draw struct{ *rand.Rand }

func (d draw) flip() bool { return d.Intn(2) == 0 }

func maybe[T any](d draw, v T) *T {
	if d.flip() {
		return nil
	}
	return &v
}

func (d draw) bytes(most int) []byte {
	b := make([]byte, d.Intn(most+1))
	d.Read(b)
	return b
}

func (d draw) controls() *Control {
	all := []Control{ControlContinue, ControlOK, ControlReclassify, ControlShot, ControlPipe, ControlStolen, ControlTrap,
		GotoChain(uint32(d.Intn(1 << 28))), Jump(uint32(d.Intn(1 << 28)))}
	return all[d.Intn(len(all))].Ptr()
}

func (d draw) action() Options {
	switch d.Intn(6) {
	case 0:
		return &Mirred{Mirror: d.flip(), Ingress: d.flip(), Ifindex: 7, Control: d.controls()}
	case 1:
		return &CtInfo{DSCPMask: d.Uint32(), DSCPStateMask: d.Uint32(), CPMarkMask: d.Uint32(), Zone: uint16(d.Uint32()), Control: d.controls()}
	case 2:
		g := &Gact{Control: d.controls()}
		g.Random = maybe(d, GactRandom{Counted: d.flip(), Every: uint16(1 + d.Intn(10000)), Control: *d.controls()})
		return g
	case 3:
		return &Csum{Update: 1 + uint32(d.Intn(127)), Control: d.controls()}
	case 4:
		return &Skbedit{Priority: maybe(d, Handle(d.Uint32()>>1)), Mark: ref(d.Uint32()), MarkMask: maybe(d, d.Uint32()),
			QueueMapping: maybe(d, uint16(d.Uint32())), PType: maybe(d, uint16(d.Intn(4))), InheritDSField: d.flip(), Control: d.controls()}
	default:
		return d.pedit()
	}
}

// pedit draws keys that tc(8) has words for.
func (d draw) pedit() *Pedit {
	p := &Pedit{Control: d.controls()}
	for range 1 + d.Intn(3) {
		if d.flip() {
			keep := d.Uint32()
			p.Keys = append(p.Keys, PeditKey{Offset: int32(d.Intn(100)-20) * 4, Keep: keep, Value: d.Uint32() &^ keep, Add: d.flip(),
				At: uint32(d.Intn(99)), OffMask: uint32(d.Intn(256)), Shift: uint32(d.Intn(8))})
			continue
		}
		f := peditFields[d.Intn(len(peditFields))]
		changed := d.Uint32() & f.mask() << f.left()
		p.Keys = append(p.Keys, PeditKey{Header: f.header, Offset: f.at &^ 3, Add: d.flip(), Keep: ^changed, Value: d.Uint32() & changed})
	}
	return p
}

func (d draw) actions() Actions {
	var list Actions
	for range d.Intn(4) {
		a := Action{Options: d.action(), Index: uint32(d.Intn(3))}
		if d.flip() {
			a.Cookie = append([]byte{1}, d.bytes(15)...)
		}
		list = append(list, a)
	}
	return list
}

func (d draw) class() Handle { return Handle(d.Uint32()>>1) * Handle(d.Intn(2)) }

func (d draw) flags() uint32 { return uint32(d.Intn(3)) } // at most one of both

func (d draw) u32() *U32 {
	u := &U32{ClassID: d.class(), Actions: d.actions(), Flags: d.flags(), Mark: maybe(d, U32Mark{0x12, 0xff}),
		Hash: uint32(d.Intn(0x800))<<20 | uint32(d.Intn(256))<<12, Link: uint32(d.Intn(0x800)) << 20}
	for i := range 1 + d.Intn(5) {
		mask := d.Uint32()
		u.Keys = append(u.Keys, U32Key{Mask: mask, Value: d.Uint32() & mask, Offset: int32(4*i - 8), OffMask: -int32(d.Intn(2))})
	}
	if d.flip() {
		u.InDev = "eth1"
	}
	if d.flip() {
		u.Next = &U32Next{Fixed: true, Plus: uint16(d.Uint32()), Variable: true, At: int16(d.Intn(100) * 2), Mask: uint16(d.Uint32()),
			Shift: uint8(d.Intn(16)), Eat: d.flip(), HashMask: d.Uint32(), HashAt: int16(d.Intn(100) * 4)}
	}
	u.Terminal = u.terminal()
	return u
}

func (d draw) address() *FlowerAddr {
	b := make([]byte, []int{4, 16}[d.Intn(2)])
	d.Read(b)
	a, _ := netip.AddrFromSlice(b)
	if a.Is4() && d.flip() {
		return &FlowerAddr{a, netip.AddrFrom4([4]byte{0xff, 0, 0xff, 0})}
	}
	return FlowerPrefix(netip.PrefixFrom(a, d.Intn(len(b)*8+1)))
}

func (d draw) port() *FlowerPort {
	first := uint16(1 + d.Intn(60000))
	switch d.Intn(3) {
	case 0:
		return &FlowerPort{first, first, 0xffff}
	case 1:
		return &FlowerPort{first, first, uint16(1 + d.Intn(0xffff))}
	default:
		return &FlowerPort{first, first + uint16(1+d.Intn(5000)), 0xffff}
	}
}

func (d draw) flower() *Flower {
	f := &Flower{ClassID: d.class(), Actions: d.actions(), Flags: d.flags(), VLANID: maybe(d, uint16(d.Intn(4096))),
		VLANEthType: []uint16{0, ProtocolIPv4, 0x1234}[d.Intn(3)], TOS: maybe(d, FlowerByte{uint8(d.Uint32()), uint8(d.Uint32())}),
		SrcMAC: maybe(d, FlowerMAC{[6]byte{1, 2, 3, 4, 5, 6}, [6]byte{0xff, 0, 0xff, 0, 0xff, 0}}),
		DstMAC: maybe(d, FlowerMAC{[6]byte{6, 5, 4, 3, 2, 1}, [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}})}
	if d.flip() {
		f.IPProto, f.SrcPort, f.DstPort = ref([]uint8{6, 17, 132}[d.Intn(3)]), maybe(d, *d.port()), maybe(d, *d.port())
	}
	if d.flip() {
		f.Src, f.Dst = d.address(), d.address()
	}
	return f
}

func (d draw) filter() Options {
	switch d.Intn(4) {
	case 0:
		return &Matchall{ClassID: d.class(), Actions: d.actions(), Flags: d.flags()}
	case 1:
		return &Fw{ClassID: d.class(), Actions: d.actions(), InDev: "eth1"}
	case 2:
		return d.u32()
	default:
		return d.flower()
	}
}

// What is encoded decodes to the same, in both byte orders.
func TestFilterEncodingProperty(t *testing.T) {
	d := draw{rand.New(rand.NewSource(1))}
	for range 3000 {
		want := d.filter()
		for _, order := range bothOrders {
			got := decodeOptions(filterKinds, want.Kind(), &value{order, encoded(t, order, want)})
			if diff := cmp.Diff(want, got, sameOptions); diff != "" {
				t.Fatalf("%v (-want +got):\n%s", order, diff)
			}
			if !Satisfied(want, got) {
				t.Fatalf("not satisfied with its own encoding: %#v", want)
			}
		}
	}
}

// What is written reads as the same, but for a control that tc(8) takes by
// itself.
func TestFilterWordsProperty(t *testing.T) {
	d := draw{rand.New(rand.NewSource(2))}
	for range 3000 {
		want := d.filter()
		written := want.Words(testDevices)
		got, err := ParseFilterWords(want.Kind(), written, testDevices)
		if err != nil {
			t.Fatalf("%s %s: %v", want.Kind(), strings.Join(written, " "), err)
		}
		if !Satisfied(want, got) || !Satisfied(got, want) {
			t.Fatalf("%s %s (-want +got):\n%s", want.Kind(), strings.Join(written, " "), cmp.Diff(want, got, sameOptions))
		}
	}
}

// Two filters drawn apart are not taken for each other, unless they are equal.
func TestFilterSatisfiedProperty(t *testing.T) {
	d := draw{rand.New(rand.NewSource(3))}
	for range 3000 {
		a, b := d.filter(), d.filter()
		equal := a.Kind() == b.Kind() && string(encoded(t, binary.BigEndian, a)) == string(encoded(t, binary.BigEndian, b))
		if Satisfied(a, b) && !equal && !alike(a, b) {
			t.Fatalf("satisfied although different:\n%s", cmp.Diff(a, b, sameOptions))
		}
	}
}

// alike are filters that differ in what does not count: index 0 asks for none.
func alike(a, b Options) bool {
	return strings.Join(withoutIndex(a), " ") == strings.Join(withoutIndex(b), " ")
}

func withoutIndex(o Options) []string {
	var kept []string
	words := o.Words(testDevices)
	for i := 0; i < len(words); i++ {
		if words[i] == "index" {
			i++
			continue
		}
		kept = append(kept, words[i])
	}
	return kept
}

func FuzzFilterDecode(f *testing.F) {
	for _, g := range filterGolden {
		f.Add(g.options.Kind(), false, fromHex(f, g.little))
		f.Add(g.options.Kind(), true, fromHex(f, g.big))
	}
	f.Fuzz(func(t *testing.T, kind string, big bool, b []byte) {
		order := bothOrders[0]
		if big {
			order = bothOrders[1]
		}
		first := decodeOptions(filterKinds, kind, &value{order, b})
		if _, raw := first.(*Raw); raw {
			return
		}
		first.Words(testDevices)
		e := newEncoder(order)
		if first.encode(e) != nil {
			return // says what the kernel would never give back
		}
		again := decodeOptions(filterKinds, kind, &value{order, e.buf})
		if _, raw := again.(*Raw); raw {
			t.Fatalf("what was encoded does not decode: %#v", first)
		}
		e2 := newEncoder(order)
		if err := again.encode(e2); err != nil {
			t.Fatalf("encode again: %v", err)
		}
		if diff := cmp.Diff(e.buf, e2.buf); diff != "" {
			t.Fatalf("encoding is not stable:\n%s", diff)
		}
	})
}

func FuzzFilterMessage(f *testing.F) {
	for _, g := range filterGolden {
		body, err := Filter{Ifindex: 7, Pref: 1, Protocol: g.protocol, Kind: g.options.Kind(), Options: g.options}.message(binary.LittleEndian)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, order := range bothOrders {
			if filter, err := decodeFilter(order, body); err == nil {
				filter.table()
				filter.Command("add", testDevices)
				if _, err := filter.message(order); err != nil {
					continue
				}
				if filter.Options != nil {
					Satisfied(filter.Options, filter.Options)
				}
			}
		}
	})
}

func FuzzFilterWords(f *testing.F) {
	for _, l := range filterLines {
		f.Add(l.options.Kind(), l.line)
	}
	f.Fuzz(func(t *testing.T, kind, line string) {
		first, err := ParseFilterWords(kind, strings.Fields(line), testDevices)
		if err != nil {
			return
		}
		written := first.Words(testDevices)
		again, err := ParseFilterWords(kind, written, testDevices)
		if err != nil {
			t.Fatalf("%q: %v", written, err)
		}
		if !Satisfied(first, again) || !Satisfied(again, first) {
			t.Fatalf("%q means something else (-read +written):\n%s", written, cmp.Diff(first, again, sameOptions))
		}
	})
}

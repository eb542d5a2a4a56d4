// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mustReadBack holds that a request read back makes the same bytes again.
func mustReadBack(t *testing.T, what string, r Request) Decoded {
	t.Helper()
	d, err := r.Decode()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	again, err := d.Request()
	if err != nil {
		t.Fatalf("%s, again: %v", what, err)
	}
	if diff := cmp.Diff(r, again, cmp.AllowUnexported(Request{})); diff != "" {
		t.Fatalf("%s (-request +again):\n%s", what, diff)
	}
	return d
}

var allModes = []Mode{Add, Replace, Change}

func TestQdiscRequestReadsBack(t *testing.T) {
	for _, g := range qdiscGolden {
		if g.class || g.kind == "red" { // red keeps no trace of what its table of idling was made from
			continue
		}
		o, _ := g.parse(t)
		for _, mode := range allModes {
			q := Qdisc{Ifindex: 7, Parent: Root, Handle: MakeHandle(0x8cae, 0), Kind: g.kind, Options: o, Stab: &SizeTable{LinkLayer: LinkATM, Overhead: -4, MPU: 64}}
			r, err := QdiscRequest(mode, q)
			if err != nil {
				t.Fatal(err)
			}
			d := mustReadBack(t, g.kind+" "+g.line, r)
			got := d.Qdisc
			if d.Mode != mode || d.Delete || got.Ifindex != 7 || got.Parent != q.Parent || got.Handle != q.Handle || got.Kind != q.Kind || !q.Stab.Satisfied(got.Stab) {
				t.Errorf("%s %s: %+v", g.kind, g.line, d)
			}
			if asked := o; mode != Change && !isEmpty(o) && !Satisfied(asked, got.Options) {
				t.Errorf("%s %s reads back as %v", g.kind, g.line, got.Options.Words(nil))
			}
		}
	}
	for _, kind := range []string{"ingress", "clsact"} {
		r, _ := QdiscRequest(Add, Qdisc{Ifindex: 7, Parent: IngressParent, Handle: IngressHandle, Kind: kind})
		if got := mustReadBack(t, kind, r).Qdisc; got.Kind != kind || got.Parent != IngressParent || got.Handle != IngressHandle {
			t.Errorf("%s reads back as %+v", kind, got)
		}
	}
}

func TestRandomRequestsReadBack(t *testing.T) {
	d := draw{rand.New(rand.NewSource(4))}
	for range 2000 {
		mode := allModes[d.Intn(3)]
		q := Qdisc{Ifindex: d.Intn(100), Parent: Handle(d.Uint32()), Handle: Handle(d.Uint32()), Options: d.qdisc(), IngressBlock: uint32(d.Intn(2))}
		q.Kind = q.Options.Kind()
		r, err := QdiscRequest(mode, q)
		if err != nil {
			t.Fatal(err)
		}
		mustReadBack(t, "qdisc "+q.Kind, r)

		f := Filter{Ifindex: d.Intn(100), Parent: IngressHook, Pref: uint16(d.Uint32()), Protocol: uint16(d.Uint32()), Chain: uint32(d.Intn(3)), Handle: d.Uint32(), Options: d.filter()}
		f.Kind = f.Options.Kind()
		if r, err = FilterRequest(mode, f); err != nil {
			t.Fatal(err)
		}
		if got := mustReadBack(t, "filter "+f.Kind, r).Filter; got.Pref != f.Pref || got.Protocol != f.Protocol || got.Parent != f.Parent || !Satisfied(f.Options, got.Options) {
			t.Fatalf("%+v reads back as %+v", f, got)
		}
	}
}

func TestClassRequestReadsBack(t *testing.T) {
	for _, g := range qdiscGolden {
		if !g.class {
			continue
		}
		o, _ := g.parse(t)
		c := Class{Ifindex: 7, Handle: MakeHandle(1, 0x10), Parent: MakeHandle(1, 1), Kind: g.kind, Options: o}
		r, err := ClassRequest(Add, c)
		if err != nil {
			t.Fatal(err)
		}
		got := mustReadBack(t, g.line, r).Class
		if got.Handle != c.Handle || got.Parent != c.Parent || !Satisfied(o, got.Options) {
			t.Errorf("%s reads back as %+v", g.line, got)
		}
	}
}

func TestDeletionReadsBack(t *testing.T) {
	q := Qdisc{Ifindex: 3, Parent: Root, Handle: MakeHandle(1, 0)}
	c := Class{Ifindex: 3, Parent: MakeHandle(1, 1), Handle: MakeHandle(1, 0x10)}
	f := Filter{Ifindex: 3, Parent: IngressHook, Pref: 10, Protocol: ProtocolAll, Handle: 1, Kind: "matchall"}
	for _, x := range []struct {
		request Request
		want    Decoded
	}{
		{QdiscDelete(q), Decoded{Delete: true, Qdisc: &q}},
		{ClassDelete(c), Decoded{Delete: true, Class: &c}},
		{FilterDelete(f), Decoded{Delete: true, Filter: &f}},
	} {
		if diff := cmp.Diff(x.want, mustReadBack(t, "deletion", x.request)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestForeignRequestsAreRefused(t *testing.T) {
	broken, err := FilterRequest(Add, Filter{Kind: "matchall", Options: &Matchall{}})
	if err != nil {
		t.Fatal(err)
	}
	broken.body = broken.body[:8]
	unknown, err := QdiscRequest(Add, Qdisc{Kind: "sfq", Options: &Raw{kind: "sfq", Data: []byte{1}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Request{"action": ActionFlush("mirred"), "cut": broken, "options": unknown, "nothing": {}} {
		if d, err := r.Decode(); err == nil {
			t.Errorf("%s: decoded as %+v", name, d)
		}
	}
	if _, err := (Decoded{}).Request(); err == nil {
		t.Error("a request was made of nothing")
	}
}

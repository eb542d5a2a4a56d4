// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"os"
	"path/filepath"
	"testing"

	"sqmd/tc"
)

// at gives every tree of a state another rate, as another program would.
func (s State) at(bits uint64) {
	for _, d := range s.Devices {
		if d.Root == nil {
			continue
		}
		t := *d.Root
		switch o := t.Root.Options.(type) {
		case *tc.Cake:
			c := *o
			c.Rate = &bits
			t.Root.Options = &c
		case *tc.TBF:
			c := *o
			c.Rate, c.Burst = bits, c.Burst+500
			t.Root.Options = &c
		}
		t.Classes = append([]tc.Class(nil), t.Classes...)
		for i := range t.Classes {
			if o, ok := t.Classes[i].Options.(*tc.HTBClass); ok && t.Classes[i].Handle == topClass {
				c := *o
				c.Rate, c.Ceil, c.Burst = bits, bits, c.Burst+500
				t.Classes[i].Options = &c
			}
		}
		d.Root = &t
	}
}

// A rate that another program has set stays until the configuration changes; a
// rate together with something else does not.
func TestOutsideRateIsRespected(t *testing.T) {
	const outside = 4321000
	paths, _ := filepath.Glob("testdata/*.sqm")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		u := unitOf(t, string(text))
		before := router(u.Device)
		p := NewPlan(u, before, Knowledge{})
		if p.Refused() || u.Upload == nil || p.Configured.Upload == 0 || p.Configured.Download == 0 && u.Download != nil {
			continue
		}
		record := recordOf(p, before.Links[u.Device], before.Devices[u.Device], Record{})
		after := carriedOut(p, before)
		after.at(outside)

		if ops := Diff(NewPlan(u, after, Knowledge{Record: record}).Targets, after); len(ops) == 0 {
			t.Errorf("%s: without respect the rate would stay", path)
		}
		respected := NewPlan(u, after, Knowledge{Record: record, RespectRates: true})
		if ops := Diff(respected.Targets, after); len(ops) > 0 {
			t.Errorf("%s: the rate of another program would be changed: %v", path, ops)
		}
		if respected.Outside.Upload != outside || respected.Configured.Upload != p.Configured.Upload {
			t.Errorf("%s: outside %d, configured %d; want %d, %d", path,
				respected.Outside.Upload, respected.Configured.Upload, uint64(outside), p.Configured.Upload)
		}
		record.Set.Upload++ // the configuration asks for another rate than it did
		if ops := Diff(NewPlan(u, after, Knowledge{Record: record, RespectRates: true}).Targets, after); len(ops) == 0 {
			t.Errorf("%s: a new configuration does not win", path)
		}
	}
}

// What another program takes away altogether is no rate.
func TestNoRateIsNotRespected(t *testing.T) {
	u := unitOf(t, "config queue 'wan'\n\toption enabled 1\n\toption interface eth1\n\toption upload 10000\n\toption download 0\n\toption qdisc cake\n\toption script piece_of_cake.qos\n")
	before := router("eth1")
	p := NewPlan(u, before, Knowledge{})
	after := carriedOut(p, before)
	after.at(0)
	record := recordOf(p, before.Links["eth1"], before.Devices["eth1"], Record{})
	if ops := Diff(NewPlan(u, after, Knowledge{Record: record, RespectRates: true}).Targets, after); len(ops) != 1 {
		t.Errorf("an unlimited cake stays: %v", ops)
	}
}

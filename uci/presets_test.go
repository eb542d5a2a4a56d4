// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPresetsAgreeWithTC compares with what tc-cake(8) says its keywords stand
// for. tc sets no MPU for PTM, where the smallest Ethernet frame still holds.
func TestPresetsAgreeWithTC(t *testing.T) {
	type figures struct {
		LinkLayer     LinkLayer
		Overhead, MPU int
	}
	for name, want := range map[string]figures{
		"conservative":    {LinkATM, 48, 0},
		"pppoa-vcmux":     {LinkATM, 10, 0},
		"pppoa-llc":       {LinkATM, 14, 0},
		"pppoe-vcmux":     {LinkATM, 32, 0},
		"pppoe-llcsnap":   {LinkATM, 40, 0},
		"bridged-vcmux":   {LinkATM, 24, 0},
		"bridged-llcsnap": {LinkATM, 32, 0},
		"ipoa-vcmux":      {LinkATM, 8, 0},
		"ipoa-llcsnap":    {LinkATM, 16, 0},
		"pppoe-ptm":       {LinkPTM, 30, 64 + 4},
		"bridged-ptm":     {LinkPTM, 22, 64 + 4},
		"docsis":          {LinkEthernet, 18, 64},
		"ethernet":        {LinkEthernet, 38, 84},
		"ether-vlan":      {LinkEthernet, 38 + 4, 84},
		"raw":             {LinkNone, 0, 0},
	} {
		p, ok := presetByName(name)
		if !ok {
			t.Errorf("%s is not there", name)
			continue
		}
		if diff := cmp.Diff(want, figures{p.LinkLayer, p.Overhead, p.MPU}); diff != "" {
			t.Errorf("%s (-tc +ours):\n%s", name, diff)
		}
	}
}

func TestPresets(t *testing.T) {
	seen := map[string]bool{}
	overhead, _ := describe("overhead")
	mpu, _ := describe("tcMPU")
	for _, p := range Presets() {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if seen[name] {
				t.Errorf("%s stands twice", name)
			}
			seen[name] = true
		}
		if !overhead.CakeRange.holds(int64(p.Overhead)) || !mpu.CakeRange.holds(int64(p.MPU)) {
			t.Errorf("%s: overhead %d or mpu %d is beyond cake's range", p.Name, p.Overhead, p.MPU)
		}
		config := ParseSQM("f", []byte(sane("option link_preset "+p.Name+"\n")))
		if diff := cmp.Diff([]string(nil), problems(config.Findings)); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", p.Name, diff)
		}
	}
}

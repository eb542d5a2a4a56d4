// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the link keywords of tc-cake(8) come to.
func TestCakeLinkKeywords(t *testing.T) {
	atm, ptm, none := ref(FramingATM), ref(FramingPTM), ref(FramingNone)
	for _, c := range []struct {
		words    string
		overhead int32
		mpu      uint32
		framing  *uint32
		raw      bool
	}{
		{"raw", 0, 0, none, true}, {"conservative", 48, 0, atm, false},
		{"ipoa-vcmux", 8, 0, atm, false}, {"ipoa-llcsnap", 16, 0, atm, false},
		{"bridged-vcmux", 24, 0, atm, false}, {"bridged-llcsnap", 32, 0, atm, false},
		{"pppoa-vcmux", 10, 0, atm, false}, {"pppoa-llc", 14, 0, atm, false},
		{"pppoe-vcmux", 32, 0, atm, false}, {"pppoe-llcsnap", 40, 0, atm, false},
		{"pppoe-ptm", 30, 0, ptm, false}, {"bridged-ptm", 22, 0, ptm, false},
		{"ethernet", 38, 84, nil, false}, {"ether-vlan", 4, 0, nil, false}, {"docsis", 18, 64, none, false},
		// They add up; a number, or conservative, sets.
		{"ethernet ether-vlan ether-vlan", 46, 84, nil, false}, {"pppoe-ptm ether-vlan", 34, 0, ptm, false},
		{"overhead 10 pppoe-ptm", 40, 0, ptm, false}, {"pppoe-ptm overhead 10", 10, 0, ptm, false}, {"ethernet conservative", 48, 84, atm, false},
		{"overhead -14 ether-vlan", -10, 0, nil, false}, {"ether-vlan via-ethernet", 4, 0, nil, false},
		// Framing and MPU: the last one.
		{"pppoe-ptm atm", 30, 0, atm, false}, {"atm docsis", 18, 64, none, false}, {"mpu 10 ethernet", 38, 84, nil, false}, {"ethernet mpu 10", 38, 10, nil, false},
		// raw stays, wherever it stands.
		{"overhead 44 raw", 0, 0, none, true}, {"raw overhead 44", 44, 0, none, true}, {"raw ethernet", 38, 84, none, true},
	} {
		want := &Cake{Overhead: &c.overhead, Raw: c.raw, Framing: c.framing}
		if c.mpu != 0 {
			want.MPU = &c.mpu
		}
		got, err := ParseQdiscWords("cake", nil, strings.Fields(c.words))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.words, diff)
		}
	}
}

// The other keywords, told in the words that we write for them.
func TestCakeWords(t *testing.T) {
	for line, want := range map[string]string{
		"":                                 "",
		"bandwidth 20mbit":                 "bandwidth 20Mbit",
		"bandwidth 20mbit unlimited":       "unlimited",
		"unlimited bandwidth 1.5mbit":      "bandwidth 1500Kbit",
		"autorate-ingress bandwidth 1mbit": "bandwidth 1Mbit",
		"bandwidth 1mbit autorate-ingress": "bandwidth 1Mbit autorate-ingress",
		"diffserv3 diffserv4":              "diffserv4",
		"diffserv":                         "diffserv4",
		"besteffort precedence diffserv8":  "diffserv8",
		"flowblind srchost dsthost hosts flows dual-srchost dual-dsthost triple-isolate": "triple-isolate",
		"nat nonat wash nowash":                          "nonat nowash",
		"ingress egress split-gso no-split-gso":          "egress no-split-gso",
		"no-ack-filter ack-filter ack-filter-aggressive": "ack-filter-aggressive",
		"memlimit 4mb fwmark 0xf0":                       "memlimit 4194304b fwmark 0xf0",
		"datacentre":                                     "rtt 100us",
		"lan":                                            "rtt 1ms",
		"metro":                                          "rtt 10ms",
		"regional":                                       "rtt 30ms",
		"internet":                                       "rtt 100ms",
		"oceanic":                                        "rtt 300ms",
		"satellite":                                      "rtt 1s",
		"interplanetary":                                 "rtt 1000s",
		"satellite rtt 50ms":                             "rtt 50ms",
		"memlimit 0 fwmark 0 mpu 0":                      "",
		"bandwidth 8bit overhead 0 noatm atm ptm mpu 256": "bandwidth 8bit ptm overhead 0 mpu 256",
	} {
		o, err := ParseQdiscWords("cake", nil, strings.Fields(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := strings.Join(o.Words(nil), " "); got != want {
			t.Errorf("%s is written %q, want %q", line, got, want)
		}
	}
	for rtt, target := range map[string]uint32{"datacentre": 5, "rtt 10us": 1, "regional": 1500, "rtt 0": 1} {
		o, err := ParseQdiscWords("cake", nil, strings.Fields(rtt))
		if err != nil || *o.(*Cake).Target != target {
			t.Errorf("%s: %+v, %v", rtt, o, err)
		}
	}
}

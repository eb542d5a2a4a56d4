// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What words mean, told in the words that we write for it.
func TestQdiscWords(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"fq_codel limit 0x10 flows 010 quantum 300", "fq_codel limit 16 flows 8 quantum 300"},
		{"fq_codel ecn noecn target 4.2ms interval 1", "fq_codel interval 1us target 4200us noecn"},
		{"fq_codel limit 7 limit 0", "fq_codel "}, // 0 is "not given" in tc(8)
		{"fq_codel memory_limit 0 ce_threshold 0", "fq_codel ce_threshold 0us memory_limit 0b"},
		{"fq_codel memory_limit 1.5mb", "fq_codel memory_limit 1572864b"},
		{"codel limit 4 interval 1s", "codel limit 4 interval 1s"},
		{"pie alpha 32 beta 0x10 dq_rate_estimator no_dq_rate_estimator bytemode", "pie alpha 32 beta 16 bytemode no_dq_rate_estimator"},
		{"fq_pie ecn_prob 99 memory_limit 0", "fq_pie ecn_prob 99"},
		{"sfq perturb 0 headdrop", "sfq perturb 0 headdrop"},
		{"sfq redflowlimit 60000 probability 0.5", "sfq redflowlimit 60000 probability 0.5"},
		{"red limit 60kb avpkt 1kb ecn adaptative", "red limit 61440b avpkt 1024b bandwidth 10Mbit ecn adaptive"},
		{"red limit 60kb avpkt 1kb qevent mark block 0x10 qevent early_drop block 3", "red limit 61440b avpkt 1024b bandwidth 10Mbit qevent early_drop block 3 qevent mark block 16"},
		{"bfifo limit 10kb", "bfifo limit 10240"},
		{"htb default 1f r2q 5 debug 0123 offload", "htb default 1f r2q 5 offload"},
		{"htb default 0x1f", "htb default 1f"},
		{"htb r2q 10", "htb "},
		{"class htb rate 1mbit", "htb rate 1Mbit ceil 1Mbit burst 1600b cburst 1600b"},
		{"class htb rate 1mbit mtu 9000", "htb rate 1Mbit ceil 1Mbit burst 9000b cburst 9000b"},
		{"class htb rate 40gbit", "htb rate 40Gbit ceil 40Gbit burst 1605b cburst 1605b"},
		{"class htb cmaxburst 3k buffer 2k/8 rate 1mbit ceil 2mbit prio 3 quantum 1514 mpu 64 overhead 44 linklayer adsl", "htb rate 1Mbit ceil 2Mbit burst 2048b cburst 3072b quantum 1514 prio 3 mpu 64 overhead 44 linklayer atm"},
		{"tbf rate 10mbit burst 5kb latency 300ms", "tbf rate 10Mbit burst 5120b limit 380120b"},
		{"tbf latency 300ms limit 3000 burst 5kb rate 10mbit", "tbf rate 10Mbit burst 5120b limit 3000b"},
		{"tbf limit 3000 latency 300ms maxburst 5kb rate 10mbit", "tbf rate 10Mbit burst 5120b limit 380120b"},
		{"tbf rate 1mbit burst 2000 latency 50ms peakrate 2mbit mtu 1600", "tbf rate 1Mbit burst 2000b limit 8250b peakrate 2Mbit minburst 1600b"},
		{"tbf rate 1mbit burst 2000 latency 50ms peakrate 1100kbit minburst 600/8", "tbf rate 1Mbit burst 2000b limit 7475b peakrate 1100Kbit minburst 600b"},
		{"tbf rate 1mbit burst 2000 limit 1mb mtu 2047 mpu 64 overhead 10 linklayer ethernet", "tbf rate 1Mbit burst 2000b limit 1048576b mtu 2047b mpu 64b overhead 10"},
		{"ingress", "ingress "}, {"clsact", "clsact "}, {"mq", "mq "}, {"noqueue", "noqueue "}, {"pfifo_fast", "pfifo_fast "}, {"drr", "drr "},
	} {
		if diff := cmp.Diff(c.want, show(parsed(t, c.line))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, diff)
		}
	}
}

func TestQdiscWordErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"fq_codel limit", `fq_codel: "limit" needs a value`},
		{"fq_codel limit -1", `fq_codel: limit: "-1" is not a number from 0 to 4294967295`},
		{"fq_codel limit 4294967296", `fq_codel: limit: "4294967296" is not a number from 0 to 4294967295`},
		{"fq_codel limit 1_000", `fq_codel: limit: "1_000" is not a number from 0 to 4294967295`},
		{"fq_codel limit 0b11", `fq_codel: limit: "0b11" is not a number from 0 to 4294967295`},
		{"fq_codel target 5 ms", `fq_codel has no option "ms"`},
		{"fq_codel quantums 300", `fq_codel has no option "quantums"; did you mean "quantum"?`},
		{"fq_codel ce_threshold_selector 4", `fq_codel: ce_threshold_selector: "4" is not VALUE/MASK, each from 0 to 255`},
		{"fq_codel ce_threshold_selector 4/256", `fq_codel: ce_threshold_selector: "4/256" is not VALUE/MASK, each from 0 to 255`},
		{"pie alpha 33", `pie: alpha: "33" is not a number from 0 to 32`},
		{"fq_pie ecn_prob 100", `fq_pie: ecn_prob: "100" is not a number from 0 to 99`},
		{"sfq limit 1", `sfq: limit: "1" is not a number from 2`},
		{"sfq ecn", `sfq: red for each flow needs redflowlimit`},
		{"sfq redflowlimit 1000 min 900 max 800", `sfq: max is below min`},
		{"sfq redflowlimit 10000 min 3000 max 12000", `sfq: min 3000, max 12000 and redflowlimit 10000 must rise in this order`},
		{"sfq redflowlimit 100000 burst 1", `sfq: burst 1 is too small or too large, try 9`},
		{"sfq redflowlimit 100000 probability 1.5", `sfq: probability: "1.5" is not a probability from 0 to 1`},
		{"sfq redflowlimit 100000 probability NaN", `sfq: probability: "NaN" is not a probability from 0 to 1`},
		{"red", `red: needs limit and avpkt`},
		{"red limit 1mb", `red: needs limit and avpkt`},
		{"red limit 1mb avpkt 1000 bandwidth 9tbit", `red: bandwidth is too large for avpkt`},
		{"red limit 1mb avpkt 1000 qevent drop block 1", `red: red has no event "drop": early_drop or mark`},
		{"red limit 1mb avpkt 1000 qevent mark", `red: event mark needs block INDEX`},
		{"pfifo limits 3", `pfifo has no option "limits"; did you mean "limit"?`},
		{"htb default x", `htb: default: "x" is not a hexadecimal number`},
		{"class htb ceil 1mbit", `htb: needs a rate of at least 8 bit/s`},
		{"class htb rate 7bit", `htb: needs a rate of at least 8 bit/s`},
		{"class htb rate 1mbit quantum 0x10", `htb: quantum: "0x10" is not a decimal number from 0 to 4294967295`},
		{"class htb rate 1mbit overhead 65536", `htb: overhead: "65536" is not a decimal number from 0 to 65535`},
		{"class htb rate 1mbit overhead -4", `htb: overhead: "-4" is not a decimal number from 0 to 65535`},
		{"class htb rate 1mbit burst 1600/7", `htb: burst: "1600/7" is not a size: "7" behind the slash is not a power of two`},
		{"class htb rate 1mbit linklayer ptm", `htb: linklayer: "ptm" is not a link layer: ethernet, atm or adsl`},
		{"tbf rate 1mbit burst 2000", `tbf: needs rate, burst, limit or latency, and with peakrate also minburst`},
		{"tbf rate 1mbit burst 2000 limit 1mb peakrate 2mbit", `tbf: needs rate, burst, limit or latency, and with peakrate also minburst`},
		{"ingress handle", `ingress has no option "handle"`},
		{"cake overhead 257", `cake: overhead: "257" is not a number from -64 to 256`},
		{"cake overhead 0x10", `cake: overhead: "0x10" is not a number from -64 to 256`},
		{"cake mpu -1", `cake: mpu: "-1" is not a number from 0 to 256`},
		{"cake dual-srchosts", `cake has no option "dual-srchosts"; did you mean "dual-srchost"?`},
		{"sfb", `unknown qdisc kind "sfb"`},
	} {
		list := strings.Fields(c.line)
		var err error
		if list[0] == "class" {
			_, err = ParseClassWords(list[1], list[2:])
		} else {
			_, err = ParseQdiscWords(list[0], nil, list[1:])
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.line, err, c.want)
		}
	}
	if _, err := ParseQdiscWords("codel", &FqCodel{}, nil); err == nil {
		t.Error("words for codel go on top of fq_codel")
	}
	var unknown *UnknownWordError
	if _, err := ParseQdiscWords("fq_codel", nil, []string{"x"}); !errors.As(err, &unknown) || unknown.Nearest != "" {
		t.Errorf("%#v", err)
	}
}

// What cannot be sent says so before the kernel does.
func TestQdiscEncodeErrors(t *testing.T) {
	for _, o := range []Options{&HTBClass{}, &HTBClass{Rate: 8e6, Ceil: 7}, &TBF{}, &TBF{Rate: 1e6, Burst: 1500}, &RED{}, &RED{Limit: 1000},
		&RED{Limit: 1000, AvPkt: 1000, Min: 500, Max: 100}, &SFQ{ECN: ref[uint32](1)}} {
		if _, err := QdiscRequest(Add, Qdisc{Kind: o.Kind(), Options: o}); err == nil || !strings.HasPrefix(err.Error(), "qdisc "+o.Kind()+": ") {
			t.Errorf("%#v: %v", o, err)
		}
	}
	q := Qdisc{Kind: "htb", Options: &HTB{}, Stab: &SizeTable{LinkLayer: LinkATM, TSize: 40000}}
	if _, err := QdiscRequest(Add, q); err == nil {
		t.Error("a size table that fits into no attribute")
	}
}

// Words go on top of what was said before, and leave that alone.
func TestWordsOnTop(t *testing.T) {
	base := parsed(t, "cake bandwidth 10mbit overhead 30 nat")
	before := show(base)
	got, err := ParseQdiscWords("cake", base, strings.Fields("ether-vlan nonat besteffort"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "cake bandwidth 10Mbit besteffort nonat overhead 34"; show(got) != want {
		t.Errorf("got %s, want %s", show(got), want)
	}
	if show(base) != before {
		t.Errorf("the base became %s", show(base))
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later

package front

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/tc"
)

// devices are two devices, dummy1 and lo.
type devices struct{}

func (devices) Name(index int) string { return map[int]string{1: "lo", 7: "dummy1"}[index] }
func (devices) Index(name string) int { return map[string]int{"lo": 1, "dummy1": 7}[name] }

// request takes the second value of a request's constructor away; the options in this test are all good.
func request(t *testing.T) func(tc.Request, error) tc.Request {
	return func(r tc.Request, err error) tc.Request {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func TestRead(t *testing.T) {
	must := request(t)
	handle := tc.MakeHandle(1, 0)
	cake, err := tc.ParseQdiscWords("cake", nil, []string{"besteffort"})
	if err != nil {
		t.Fatal(err)
	}
	htb, err := tc.ParseClassWords("htb", []string{"rate", "1mbit"})
	if err != nil {
		t.Fatal(err)
	}
	ingress, err := tc.ParseQdiscWords("ingress", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	pass := tc.Actions{{Options: &tc.Gact{}, Index: 8}}
	for line, want := range map[string]tc.Request{
		"qdisc add dev dummy1 root handle 1: cake besteffort": must(tc.QdiscRequest(tc.Add,
			tc.Qdisc{Ifindex: 7, Parent: tc.Root, Handle: handle, Kind: "cake", Options: cake})),
		"qdisc replace dev lo handle 1 root cake besteffort": must(tc.QdiscRequest(tc.Replace,
			tc.Qdisc{Ifindex: 1, Parent: tc.Root, Handle: handle, Kind: "cake", Options: cake})),
		"qdisc change dev dummy1 parent 1:2 cake besteffort": must(tc.QdiscRequest(tc.Change,
			tc.Qdisc{Ifindex: 7, Parent: tc.MakeHandle(1, 2), Kind: "cake", Options: cake})),
		"qdisc add dev lo root stab linklayer atm overhead 10 cake besteffort": must(tc.QdiscRequest(tc.Add,
			tc.Qdisc{Ifindex: 1, Parent: tc.Root, Kind: "cake", Options: cake, Stab: &tc.SizeTable{LinkLayer: tc.LinkATM, Overhead: 10}})),
		"qdisc add dev dummy1 ingress_block 3 ingress": must(tc.QdiscRequest(tc.Add,
			tc.Qdisc{Ifindex: 7, Parent: tc.IngressParent, Handle: tc.IngressHandle, Kind: "ingress", Options: ingress, IngressBlock: 3})),
		"qdisc del dev dummy1 clsact": tc.QdiscDelete(
			tc.Qdisc{Ifindex: 7, Parent: tc.IngressParent, Handle: tc.IngressHandle}),
		"qdisc delete dev dummy1 handle 1: root cake besteffort": tc.QdiscDelete(
			tc.Qdisc{Ifindex: 7, Parent: tc.Root, Handle: handle}),
		"class add dev dummy1 parent 1: classid 1:2 htb rate 1mbit": must(tc.ClassRequest(tc.Add,
			tc.Class{Ifindex: 7, Parent: handle, Handle: tc.MakeHandle(1, 2), Kind: "htb", Options: htb})),
		"class del dev dummy1 root classid 1:2": tc.ClassDelete(
			tc.Class{Ifindex: 7, Parent: tc.Root, Handle: tc.MakeHandle(1, 2)}),
		"filter del dev dummy1 parent ffff: prio 3 protocol ip handle 0x2 chain 4 matchall": tc.FilterDelete(
			tc.Filter{Ifindex: 7, Parent: tc.IngressHandle, Pref: 3, Protocol: 0x0800, Handle: 2, Chain: 4, Kind: "matchall"}),
		"filter del dev dummy1 egress":     tc.FilterDelete(tc.Filter{Ifindex: 7, Parent: tc.EgressHook}),
		"actions add action ok index 8":    must(tc.ActionRequest(tc.Add, pass)),
		"action replace action ok index 8": must(tc.ActionRequest(tc.Replace, pass)),
		"actions flush action police":      tc.ActionFlush("police"),
		"actions del action gact index 8 action csum index 0x10": tc.ActionDelete(
			tc.ActionID{Kind: "gact", Index: 8}, tc.ActionID{Kind: "csum", Index: 16}),
	} {
		got, err := read(strings.Fields(line), devices{})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, got.request, cmp.AllowUnexported(tc.Request{})); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func TestFilterWithoutProtocolIsForAll(t *testing.T) {
	all, err := read(strings.Fields("filter add dev lo ingress protocol all matchall action ok"), devices{})
	if err != nil {
		t.Fatal(err)
	}
	none, err := read(strings.Fields("filter add dev lo ingress matchall action ok"), devices{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all.request, none.request, cmp.AllowUnexported(tc.Request{})); diff != "" {
		t.Error(diff)
	}
}

// The codes are those that the kernel's cases expect of tc(8).
func TestExitCodes(t *testing.T) {
	for line, want := range map[string]int{
		"qdisc add dev lo root handle 10000: cake":                  255,
		"qdisc add dev lo root handle 123^ cake":                    255,
		"qdisc add dev lo root handle 1:2 cake":                     255,
		"qdisc add dev nosuch root cake":                            255,
		"qdisc add root cake":                                       255,
		"qdisc add dev":                                             255,
		"qdisc add dev lo root stab overhead much cake":             255,
		"qdisc add dev lo root cake foorbar":                        1,
		"qdisc add dev lo root cake rtt foo-bar":                    1,
		"qdisc add dev lo ingress foorbar":                          1,
		"class add dev lo parent 1: classid 1:1 htb rate much":      1,
		"filter add dev lo parent aa11b1b2: matchall":               255,
		"filter add dev lo parent ffff: prio 65536 matchall":        255,
		"filter add dev lo parent ffff: protocol igmp matchall":     255,
		"filter add dev lo parent ffff: handle 4294967296 matchall": 1,
		"filter add dev lo parent ffff: matchall classid 6789defg":  1,
		"filter add dev lo parent ffff: matchall action pump":       255,
		"actions add action pump index 386":                         255,
		"actions add action drop index 4294967296":                  255,
		"actions del action gact index 4294967296":                  255,
		"actions flush action gact action csum":                     255,
		"actions del index 1":                                       255,
		"qdisc add dev lo root handle 1: prio":                      ExitNotSpoken,
		"filter add dev lo parent ffff: basic action ok":            ExitNotSpoken,
		"qdisc show dev lo":                                         ExitNotSpoken,
		"qdisc flush dev lo":                                        ExitNotSpoken,
		"monitor all":                                               ExitNotSpoken,
		"qdisc":                                                     ExitNotSpoken,
		"actions list action gact":                                  ExitNotSpoken,
	} {
		_, err := read(strings.Fields(line), devices{})
		if got := exitCode(err); got != want {
			t.Errorf("%s: exit code %d, want %d (%v)", line, got, want, err)
		}
	}
}

func TestExitCodeOfKernelErrors(t *testing.T) {
	for line, want := range map[string]int{
		"qdisc add dev lo root cake":      2,
		"filter del dev lo ingress":       2,
		"actions add action ok":           255,
		"actions flush action gact":       1,
		"actions del action gact index 1": 255,
	} {
		c, err := read(strings.Fields(line), devices{})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := exitCode(withExit(c.refused, &tc.KernelError{})); got != want {
			t.Errorf("%s: exit code %d when the kernel refuses, want %d", line, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("qdisc add dev lo root handle 1: htb default 10")
	f.Add("class add dev lo parent 1: classid 1:1 htb rate 1mbit ceil 2mbit")
	f.Add("filter add dev lo ingress prio 1 handle 800::1 u32 match ip src 1.2.3.4/32 action mirred egress redirect dev lo")
	f.Add("filter add dev lo parent ffff: handle 1/2 fw classid 1:1 action drop")
	f.Add("actions add action pedit munge ip tos set 4 action csum ip4h index 3")
	f.Add("actions del action gact index 1")
	f.Fuzz(func(t *testing.T, line string) {
		_, err := read(strings.Fields(line), devices{})
		if code := exitCode(err); (code == 0) != (err == nil) {
			t.Errorf("exit code %d for %v", code, err)
		}
	})
}

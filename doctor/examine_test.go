// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/ifb"
	"sqmd/shaping"
	"sqmd/tc"
	"sqmd/uci"
)

// queue is a section with options as given, over those of a sound one.
func queue(name string, options ...string) string {
	all := [][2]string{{"enabled", "1"}, {"interface", "eth1"}, {"download", "85000"}, {"upload", "10000"},
		{"script", "piece_of_cake.qos"}, {"qdisc", "cake"}, {"link_preset", "docsis"}}
	for i := 0; i < len(options); i += 2 {
		all = slices.DeleteFunc(all, func(o [2]string) bool { return o[0] == options[i] })
		all = append(all, [2]string{options[i], options[i+1]})
	}
	text := "config queue '" + name + "'\n"
	for _, o := range all {
		text += "\toption " + o[0] + " '" + o[1] + "'\n"
	}
	return text
}

// sound is the evidence of a router on which all queues of a configuration are
// shaped.
func sound(config string) Evidence {
	e := Evidence{Config: uci.ParseSQM("/etc/config/sqm", []byte(config)), Offloads: map[string]Offloads{}}
	e.Links = map[string]Link{"lo": {}, "eth0": {Kind: "dsa", Bridge: "br-lan", SpeedMbit: 1000}, "eth1": {SpeedMbit: 1000},
		"br-lan": {Kind: "bridge"}, "ifb4eth1": {}, "phy0-ap0": {Kind: "wlan", Bridge: "br-lan"}}
	e.DefaultRoutes = []string{"eth1"}
	units, _, _ := shaping.Group(e.Config.Queues, func(string) bool { return true }, nil)
	for _, u := range units {
		q := Queue{Unit: u, Status: shaping.Status{Queue: u.Title(), Device: u.Device}}
		for _, d := range []shaping.Direction{shaping.Upload, shaping.Download} {
			q.Status.Directions = append(q.Status.Directions, shaping.DirectionStatus{Direction: d.String(), State: shaping.Shaped})
		}
		e.Queues = append(e.Queues, q)
		e.Offloads[u.Device] = Offloads{TSO: true, GSO: true, GRO: true}
	}
	return e
}

// state puts all directions of the first queue into a state.
func state(name, reason string) func(*Evidence) {
	return func(e *Evidence) {
		for i := range e.Queues[0].Status.Directions {
			d := &e.Queues[0].Status.Directions[i]
			d.State, d.Reason = name, reason
		}
	}
}

// failed is a failure as the engine tells it.
func failed(op shaping.Op, err error) func(*Evidence) {
	return state(shaping.Unshaped, (&shaping.OpError{Title: "wan", Device: "eth1", Op: op.String(), Err: err}).Error())
}

// planned gives the first queue the findings of its plan on a kernel that has
// these filters on arriving packets and this further link.
func planned(other ifb.Link, filters ...tc.Filter) func(*Evidence) {
	return func(e *Evidence) {
		state(shaping.Refused, "the configuration has an error; what was there before is kept")(e)
		link := ifb.Link{Index: 2, Name: "eth1", Kind: "device", MTU: 1500, TxQueues: 1, Up: true}
		s := shaping.State{Links: map[string]ifb.Link{"eth1": link, other.Name: other},
			Devices: map[string]*shaping.Device{"eth1": {Link: link, Ingress: filters}}}
		for _, f := range shaping.NewPlan(e.Queues[0].Unit, s, shaping.Knowledge{}).Findings {
			e.Queues[0].Status.Findings = append(e.Queues[0].Status.Findings, f.String())
		}
	}
}

func manager(m Manager) func(*Evidence) {
	return func(e *Evidence) { m.Evidence = "made up"; e.Managers = append(e.Managers, m) }
}

func firewall(f Firewall) func(*Evidence) { return func(e *Evidence) { e.Firewall = f } }

func link(name string, l Link) func(*Evidence) { return func(e *Evidence) { e.Links[name] = l } }

func noLink(name string) func(*Evidence) { return func(e *Evidence) { delete(e.Links, name) } }

func routes(devices ...string) func(*Evidence) {
	return func(e *Evidence) { e.DefaultRoutes = devices }
}

func offloads(o Offloads) func(*Evidence) { return func(e *Evidence) { e.Offloads["eth1"] = o } }

func missing(f shaping.Feature) func(*Evidence) {
	return func(e *Evidence) { e.Missing = append(e.Missing, f) }
}

func rates(have, configured uint64) func(*Evidence) {
	return func(e *Evidence) {
		d := &e.Queues[0].Status.Directions[0]
		d.RateKbit, d.ConfiguredKbit = have, configured
	}
}

var waiting = state(shaping.Waiting, "device does not exist")

func only(finding ...string) []string { return finding }

// cases are the positive and negative ones of all checks: a configuration, what
// differs from a sound router, and the ids to be found.
var cases = []struct {
	name   string
	config string
	change []func(*Evidence)
	want   []string
}{
	{"sound", queue("wan"), nil, nil},
	{"two sound queues", queue("wan") + queue("b", "interface", "eth2"), nil, nil},
	{"one section for each direction", queue("up", "download", "0") + queue("down", "upload", "0"), nil, nil},
	{"a broken section that is disabled", queue("wan") + queue("off", "enabled", "0", "download", "x"), nil, nil},
	{"nothing known", queue("wan"), []func(*Evidence){func(e *Evidence) { e.System, e.Offloads = System{}, nil }}, nil},

	{"hardware offload", queue("wan"), []func(*Evidence){firewall(Firewall{true, true})}, only(hardwareOffload)},
	{"software offload", queue("wan"), []func(*Evidence){firewall(Firewall{FlowOffload: true})}, only(softwareOffload)},
	{"offload and both rates 0", queue("wan", "download", "0", "upload", "0"), []func(*Evidence){firewall(Firewall{true, true})}, nil},

	{"clock broken", queue("wan"), []func(*Evidence){func(e *Evidence) { e.ClockFault = errors.New("stands still") }}, only(clockBroken)},
	{"clock set at boot", queue("wan"), []func(*Evidence){func(e *Evidence) { e.ClockSteps = 1 }}, nil},
	{"clock steps", queue("wan"), []func(*Evidence){func(e *Evidence) { e.ClockSteps = 2 }}, only(clockSteps)},
	{"lost events", queue("wan"), []func(*Evidence){func(e *Evidence) { e.LostEvents = 1 }}, only(lostEvents)},

	{"configuration error", queue("wan", "download", "85mbit"), []func(*Evidence){state(shaping.Refused, "the configuration has an error")}, only(configErrors)},
	{"configuration warning", queue("wan", "nonsense", "1"), nil, nil},
	{"two sections", queue("a") + queue("b"), nil, only(twoSections)},
	{"two sections, one by its network", queue("a") + queue("b", "interface", "@wan"), []func(*Evidence){func(e *Evidence) {
		e.Queues = e.Queues[:1]
		e.Queues[0].Upload, e.Queues[0].Download = &e.Config.Queues[1], &e.Config.Queues[1]
	}}, only(twoSections)},
	{"two sections and another error", queue("a") + queue("b", "rtt", "x"), nil, only(configErrors, twoSections)},
	{"two sections, one disabled", queue("a") + queue("b", "enabled", "0"), nil, nil},
	{"empty configuration", "", nil, only(nothingEnabled)},
	{"nothing enabled", queue("wan", "enabled", "0"), nil, only(nothingEnabled)},
	{"nothing readable", "config queue 'wan\n\toption enabled 1\n", nil, only(configErrors)},

	{"foreign redirect", queue("wan"), []func(*Evidence){planned(ifb.Link{Index: 9, Name: "ifb-eth1", Kind: "ifb"}, ifb.Redirect(2, 10, 9))}, only(foreignShaper)},
	{"foreign redirect into nothing", queue("wan"), []func(*Evidence){planned(ifb.Link{}, tc.Filter{Ifindex: 2, Pref: 10, Kind: "u32",
		Options: &tc.U32{Actions: tc.Actions{tc.RedirectTo(0)}}})}, only(foreignShaper)},
	{"foreign IFB", queue("wan"), []func(*Evidence){planned(ifb.Link{Index: 9, Name: "ifb4eth1", Kind: "ifb", Up: true})}, only(foreignShaper)},
	{"foreign filter that redirects nothing", queue("wan"), []func(*Evidence){planned(ifb.Link{}, tc.Filter{Ifindex: 2, Pref: 1, Kind: "bpf"}), state(shaping.Shaped, "")}, nil},
	{"conflict", queue("wan"), []func(*Evidence){state("conflict", "another program keeps undoing the shaping")}, only(shaperConflict, shaperConflict)},

	{"no cake", queue("wan"), []func(*Evidence){failed(shaping.Op{Verb: shaping.Replace, Device: "eth1", Qdisc: &tc.Qdisc{Kind: "cake"}}, syscall.ENOENT)}, only(moduleMissing)},
	{"no IFB", queue("wan"), []func(*Evidence){failed(shaping.Op{Verb: shaping.CreateIFB, Device: "ifb4eth1"}, syscall.EOPNOTSUPP)}, only(moduleMissing)},
	{"another failure", queue("wan"), []func(*Evidence){failed(shaping.Op{Verb: shaping.SetUp, Device: "ifb4eth1"}, syscall.ENOMEM)}, only(notShaped, notShaped)},
	{"refused for no reason that is known", queue("wan"), []func(*Evidence){state(shaping.Refused, "")}, only(notShaped, notShaped)},
	{"left over", queue("wan"), []func(*Evidence){state(shaping.Stale, "to be removed")}, only(notShaped, notShaped)},
	{"switched off", queue("wan"), []func(*Evidence){state(shaping.Off, "rate 0")}, nil},
	{"stopped", queue("wan"), []func(*Evidence){state("stopped", "by hand")}, only(stoppedByHand)},

	{"no cake_mq", queue("wan", "use_mq", "1"), []func(*Evidence){missing(shaping.FeatureMQ)}, only(featureMissing)},
	{"no cake_mq, not asked for", queue("wan"), []func(*Evidence){missing(shaping.FeatureMQ), missing(shaping.FeatureWash)}, nil},
	{"no act_pedit", queue("wan", "script", "simple.qos", "qdisc", "fq_codel"), []func(*Evidence){missing(shaping.FeatureWash)}, only(featureMissing)},
	{"no act_pedit, not asked for", queue("wan", "script", "simple.qos", "qdisc", "fq_codel", "squash_dscp", "0"), []func(*Evidence){missing(shaping.FeatureWash)}, nil},

	{"another shaper", queue("wan"), []func(*Evidence){manager(Manager{Service: "sqm"})}, only(otherManager)},
	{"another shaper of the device", queue("wan"), []func(*Evidence){manager(Manager{Service: "qosmate", Devices: []string{"eth0", "eth1"}})}, only(otherManager)},
	{"a shaper of another device", queue("wan"), []func(*Evidence){manager(Manager{Service: "qosmate", Devices: []string{"eth0"}})}, nil},
	{"another shaper, nothing shaped", "", []func(*Evidence){manager(Manager{Service: "sqm"})}, only(nothingEnabled)},
	{"a rate controller", queue("wan"), []func(*Evidence){manager(Manager{Service: "cake-autorate", RateOnly: true})}, only(rateTool)},
	{"a rate from outside", queue("wan"), []func(*Evidence){rates(7000, 10000)}, only(outsideRate)},
	{"the rate as configured", queue("wan"), []func(*Evidence){rates(10000, 0)}, nil},

	{"link at 100 Mbit/s, download above", queue("wan", "download", "115000"), []func(*Evidence){link("eth1", Link{SpeedMbit: 100})}, only(rateAboveLink)},
	{"link at 100 Mbit/s, both above", queue("wan", "download", "200000", "upload", "100001"), []func(*Evidence){link("eth1", Link{SpeedMbit: 100})}, only(rateAboveLink, rateAboveLink)},
	{"link at just the rate", queue("wan", "download", "100000"), []func(*Evidence){link("eth1", Link{SpeedMbit: 100})}, nil},
	{"link without a speed", queue("wan", "download", "115000"), []func(*Evidence){link("eth1", Link{})}, nil},
	{"no rate on a slow link", queue("wan", "unlimited", "both", "download", "999999"), []func(*Evidence){link("eth1", Link{SpeedMbit: 10})}, nil},

	{"PPPoE without overhead", queue("wan", "interface", "pppoe-wan", "link_preset", "", "linklayer", "none"), nil, only(noOverhead)},
	{"PPP by its type", queue("wan", "link_preset", ""), []func(*Evidence){link("eth1", Link{Kind: "ppp"})}, only(noOverhead)},
	{"DSL modem", queue("wan", "link_preset", "", "interface", "dsl0.7"), []func(*Evidence){link("dsl0.7", Link{Kind: "vlan", Lower: []string{"dsl0"}})}, only(noOverhead)},
	{"VLAN on a DSL modem", queue("wan", "link_preset", ""), []func(*Evidence){link("eth1", Link{Kind: "vlan", Lower: []string{"dsl0"}})}, only(noOverhead)},
	{"PPPoE without overhead under htb", queue("wan", "interface", "pppoe-wan", "link_preset", "", "script", "simple.qos", "qdisc", "fq_codel", "upload", "20000"), nil, only(noOverhead)},
	{"PPPoE with a preset", queue("wan", "interface", "pppoe-wan", "link_preset", "pppoe-vdsl2"), nil, nil},
	{"PPPoE with a preset that says none", queue("wan", "interface", "pppoe-wan", "link_preset", "raw"), nil, nil},
	{"PPPoE with raw words", queue("wan", "interface", "pppoe-wan", "link_preset", "", "iqdisc_opts", "overhead 34 nat", "eqdisc_opts", "pppoe-ptm"), nil, nil},
	{"PPPoE with raw words in one direction", queue("wan", "interface", "pppoe-wan", "link_preset", "", "iqdisc_opts", "overhead 34 nat"), nil, only(noOverhead)},
	{"PPPoE without a rate", queue("wan", "interface", "pppoe-wan", "link_preset", "", "unlimited", "both"), nil, nil},
	{"PPP of a modem", queue("wan", "interface", "3g-wan", "link_preset", ""), []func(*Evidence){link("3g-wan", Link{Kind: "ppp"})}, nil},
	{"Ethernet without overhead", queue("wan", "link_preset", ""), nil, nil},

	{"LAN bridge", queue("lan", "interface", "br-lan"), nil, only(directionsSwapped)},
	{"LAN port", queue("lan", "interface", "eth0"), nil, only(directionsSwapped)},
	{"LAN access point, connection down", queue("lan", "interface", "phy0-ap0"), []func(*Evidence){routes()}, only(directionsSwapped)},
	{"LAN bridge with rates swapped", queue("lan", "interface", "br-lan", "download", "10000", "upload", "85000"), nil, nil},
	{"LAN bridge with equal rates", queue("lan", "interface", "br-lan", "download", "10000", "upload", "10000"), nil, nil},
	{"LAN bridge, one direction", queue("lan", "interface", "br-lan", "upload", "0"), nil, nil},
	{"bridge with the default route", queue("wan", "interface", "br-lan"), []func(*Evidence){routes("br-lan")}, nil},
	{"port of a bridge whose VLAN has the default route", queue("wan", "interface", "eth0"),
		[]func(*Evidence){routes("br-lan.2"), link("br-lan.2", Link{Kind: "vlan", Lower: []string{"br-lan"}})}, nil},
	{"bridge of guests", queue("guest", "interface", "br-guest"), []func(*Evidence){link("br-guest", Link{Kind: "bridge"})}, only(directionsSwapped)},
	{"bridge under PPPoE", queue("wan", "interface", "br-wan"), []func(*Evidence){link("br-wan", Link{Kind: "bridge"}), routes("pppoe-wan")}, nil},
	{"bridge, connection down", queue("wan", "interface", "br-wan"), []func(*Evidence){link("br-wan", Link{Kind: "bridge"}), routes()}, nil},

	{"slow htb", queue("wan", "script", "simple.qos", "qdisc", "fq_codel", "upload", "2000"), nil, only(superPackets)},
	{"slow htb both ways", queue("wan", "script", "simplest.qos", "qdisc", "fq_codel", "upload", "2000", "download", "9999"), nil, only(superPackets, superPackets)},
	{"slow htb, offloads off", queue("wan", "script", "simplest.qos", "qdisc", "fq_codel", "upload", "2000", "download", "8000"), []func(*Evidence){offloads(Offloads{})}, nil},
	{"slow htb, only arriving packets joined", queue("wan", "script", "simplest.qos", "qdisc", "fq_codel", "upload", "2000"), []func(*Evidence){offloads(Offloads{GRO: true})}, nil},
	{"slow cake", queue("wan", "upload", "2000"), nil, nil},
	{"slow cake by simple.qos", queue("wan", "script", "simple.qos", "upload", "2000"), nil, nil},
	{"slow tbf", queue("wan", "script", "simplest_tbf.qos", "qdisc", "fq_codel", "upload", "2000"), nil, nil},
	{"fast htb", queue("wan", "script", "simple.qos", "qdisc", "fq_codel"), nil, nil},

	{"device of another driver", queue("wan", "interface", "eth0.2"), []func(*Evidence){waiting}, only(deviceName)},
	{"device is PPPoE", queue("wan", "interface", "wan"), []func(*Evidence){waiting, noLink("eth1"), routes("pppoe-wan"), link("pppoe-wan", Link{Kind: "ppp"})}, only(deviceName)},
	{"device in capitals", queue("wan", "interface", "ETH1"), []func(*Evidence){waiting, routes()}, only(deviceName)},
	{"PPPoE is down", queue("wan", "interface", "pppoe-wan"), []func(*Evidence){waiting, link("wan", Link{})}, only(deviceWaiting)},
	{"network without a device", queue("wan"), []func(*Evidence){waiting, func(e *Evidence) { e.Queues[0].Device = "" }}, only(deviceWaiting)},
	{"second line is down", queue("wan") + queue("b", "interface", "lte0"), []func(*Evidence){
		func(e *Evidence) { e.Queues[0], e.Queues[1] = e.Queues[1], e.Queues[0] }, waiting}, only(deviceWaiting)},
}

func TestExamine(t *testing.T) {
	found := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := sound(c.config)
			for _, change := range c.change {
				change(&e)
			}
			findings := Examine(e)
			var ids []string
			for _, f := range findings {
				ids = append(ids, f.ID)
				found[f.ID] = true
				checkSound(t, f)
			}
			if diff := cmp.Diff(c.want, ids); diff != "" {
				t.Errorf("ids (-want +got):\n%s\n%v", diff, findings)
			}
			if diff := cmp.Diff(findings, Examine(e)); diff != "" {
				t.Errorf("the second examination differs:\n%s", diff)
			}
		})
	}
	for _, c := range Checks() {
		if !found[c.ID] {
			t.Errorf("no case finds %s", c.ID)
		}
	}
}

func checkSound(t *testing.T, f Finding) {
	t.Helper()
	for _, text := range []string{f.Problem, f.Evidence, f.Remedy} {
		if strings.ContainsAny(text, "\n\x1b") || strings.HasSuffix(text, ".") || text != strings.TrimSpace(text) {
			t.Errorf("%s: %q is not one plain line", f.ID, text)
		}
	}
	if f.Problem == "" || f.Remedy == "" || f.Severity == "" {
		t.Errorf("a finding is not complete: %+v", f)
	}
}

// TestFindings looks at findings as a whole.
func TestFindings(t *testing.T) {
	e := sound(queue("wan", "download", "115000", "interface", "eth9"))
	e.Queues[0].Device = "eth1\x1b[2J"
	e.Links[e.Queues[0].Device] = Link{SpeedMbit: 100}
	failed(shaping.Op{Verb: shaping.Add, Device: "eth1", Qdisc: &tc.Qdisc{Kind: "fq_pie"}}, syscall.ENOENT)(&e)
	e.Firewall = Firewall{FlowOffload: true}
	failure := "queue 'wan' (eth1), upload: add qdisc fq_pie on eth1: no such file or directory; " +
		"is the kernel module for it installed (kmod-sched-cake, kmod-sched-core, kmod-ifb)?"
	want := []Finding{
		{ID: "module-missing", Severity: "error", Device: "eth1?[2J", Queue: "wan",
			Problem: "the kernel lacks a piece that the upload needs", Evidence: failure, Remedy: "install kmod-sched-fq-pie"},
		{ID: "rate-above-link", Severity: "warning", Device: "eth1?[2J", Queue: "wan",
			Problem:  "the download rate is above the speed of eth1?[2J, which then queues where nothing manages it",
			Evidence: "download 115000 kbit/s; /sys/class/net/eth1?[2J/speed is 100 Mbit/s",
			Remedy:   "look for a bad cable or port, or set download to at most 95000"},
		{ID: "software-offload", Severity: "note",
			Problem:  "software flow offload is on: shaping works, but DSCP set by firewall rules reaches only the first packets of a connection",
			Evidence: "flow_offloading is 1 in /etc/config/firewall",
			Remedy:   "switch it off if firewall rules set DSCP for the upload, else nothing"},
	}
	findings := Examine(e)
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := findings[1].String(), "warning: rate-above-link on eth1?[2J: the download rate is above the speed of eth1?[2J, "+
		"which then queues where nothing manages it; look for a bad cable or port, or set download to at most 95000"; got != want {
		t.Errorf("String() = %q", got)
	}
}

func TestMeantDevices(t *testing.T) {
	e := sound(queue("wan", "interface", "eth0.2"))
	e.DefaultRoutes = []string{"wan"}
	for _, name := range []string{"wan", "eth2", "eth3", "ifb0"} {
		e.Links[name] = Link{}
	}
	x := &examination{Evidence: e}
	if diff := cmp.Diff([]string{"wan", "eth0", "eth1"}, x.meant("eth0.2")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPackageFor(t *testing.T) {
	for failure, want := range map[string]string{
		"queue 'wan' (eth1), upload: replace qdisc cake on eth1: no":           "kmod-sched-cake",
		"queue 'wan' (eth1), download: create device ifb4eth1: not supported":  "kmod-ifb",
		"queue 'wan' (eth1), upload: replace qdisc htb on eth1: no":            "kmod-sched-core",
		"queue 'wan' (eth1), upload: add qdisc sfq on eth1: no":                "kmod-sched",
		"queue 'wan' (eth1), upload: add qdisc pie on eth1: no":                "kmod-sched-pie",
		"queue 'wan' (eth1), download: add redirect from eth1 to ifb4eth1: no": "kmod-sched-core",
		"": "kmod-sched-core",
	} {
		if got := packageFor(failure); got != want {
			t.Errorf("packageFor(%q) = %s, want %s", failure, got, want)
		}
	}
}

// TestPresetsExist holds the presets that are advised to those that there are.
func TestPresetsExist(t *testing.T) {
	for _, c := range []struct {
		qdisc   string
		presets []string
	}{{"cake", []string{"pppoe-vdsl2", "pppoe-llc", "gpon-vlan-pppoe"}}, {"fq_codel", []string{"pppoe-llc", "gpon-vlan-pppoe"}}} {
		advice := Examine(sound(queue("wan", "interface", "pppoe-wan", "link_preset", "", "script", "simple.qos", "qdisc", c.qdisc)))[0].Remedy
		for _, p := range c.presets {
			if !strings.Contains(advice, p) {
				t.Errorf("with %s, %s is not advised: %s", c.qdisc, p, advice)
			}
			config := uci.ParseSQM("sqm", []byte(queue("wan", "script", "simple.qos", "qdisc", c.qdisc, "link_preset", p)))
			if i := slices.IndexFunc(config.Findings, func(f uci.Finding) bool { return f.Severity == uci.Error }); i >= 0 {
				t.Errorf("with %s, %s cannot be used: %v", c.qdisc, p, config.Findings[i])
			}
		}
	}
}

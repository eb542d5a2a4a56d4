// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes files below a new root directory. A name that ends in / is a
// directory; a text that starts with -> is a symbolic link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		target, isLink := strings.CutPrefix(text, "->")
		switch {
		case strings.HasSuffix(name, "/"):
			must(os.MkdirAll(path, 0o755))
		case isLink:
			must(os.Symlink(target, path))
		default:
			must(os.WriteFile(path, []byte(text), 0o644))
		}
	}
	return root
}

func gathered(t *testing.T, files map[string]string) System {
	t.Helper()
	s, err := Gather(tree(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGatherNothing(t *testing.T) {
	if diff := cmp.Diff(System{Links: map[string]Link{}}, gathered(t, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGatherFirewall(t *testing.T) {
	const defaults = "config defaults\n\toption input 'ACCEPT'\n"
	for _, c := range []struct {
		name, text string
		want       Firewall
	}{
		{"defaults", defaults, Firewall{}},
		{"software", defaults + "\toption flow_offloading '1'\n", Firewall{FlowOffload: true}},
		{"in words", defaults + "\toption flow_offloading 'On'\n", Firewall{FlowOffload: true}},
		{"hardware", defaults + "\toption flow_offloading '1'\n\toption flow_offloading_hw '1'\n", Firewall{true, true}},
		{"hardware without software", defaults + "\toption flow_offloading '0'\n\toption flow_offloading_hw '1'\n", Firewall{}},
		{"in another section", "config zone\n\toption flow_offloading '1'\n", Firewall{}},
		{"commented", defaults + "#\toption flow_offloading '1'\n", Firewall{}},
		{"damaged behind", defaults + "\toption flow_offloading '1'\nconfig 'zone\n", Firewall{FlowOffload: true}},
		{"too large", defaults + "\toption flow_offloading '1'\n" + strings.Repeat("#\n", 1<<19), Firewall{}},
	} {
		if diff := cmp.Diff(c.want, gathered(t, map[string]string{"etc/config/firewall": c.text}).Firewall); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestGatherManagers(t *testing.T) {
	const script = "->../init.d/x"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []Manager
	}{
		{"none", map[string]string{"etc/rc.d/S19firewall": script, "etc/rc.d/S95done": script, "etc/rc.d/S50sqmd": script}, nil},
		{"installed, not enabled", map[string]string{"etc/init.d/sqm": "", "usr/lib/sqm/run.sh": "", "etc/rc.d/K50sqm": script}, nil},
		{"sqm-scripts", map[string]string{"etc/rc.d/S50sqm": script, "usr/lib/sqm/run.sh": ""},
			[]Manager{{Service: "sqm", Evidence: "/etc/rc.d/S50sqm exists"}}},
		{"another program's sqm", map[string]string{"etc/rc.d/S50sqm": script}, nil},
		{"qosify as shipped", map[string]string{"etc/rc.d/S19qosify": script,
			"etc/config/qosify": "config defaults\nconfig interface wan\n\toption name wan\n\toption disabled 1\nconfig device wandev\n\toption disabled 1\n\toption name wan\n"}, nil},
		{"qosify for a network", map[string]string{"etc/rc.d/S19qosify": script, "etc/config/qosify": "config interface wan\n\toption name wan\n"},
			[]Manager{{Service: "qosify", Evidence: "/etc/rc.d/S19qosify exists, and /etc/config/qosify enables it"}}},
		{"qosify for a device", map[string]string{"etc/rc.d/S19qosify": script, "etc/config/qosify": "config device\n\toption name eth1\n"},
			[]Manager{{Service: "qosify", Devices: []string{"eth1"}, Evidence: "/etc/rc.d/S19qosify exists, and /etc/config/qosify enables it"}}},
		{"qosmate", map[string]string{"etc/rc.d/S99qosmate": script, "etc/config/qosmate": "config global 'global'\n\toption enabled '1'\nconfig settings 'settings'\n\toption WAN 'eth1'\n"},
			[]Manager{{Service: "qosmate", Devices: []string{"eth1"}, Evidence: "/etc/rc.d/S99qosmate exists, and /etc/config/qosmate enables it"}}},
		{"qosmate off", map[string]string{"etc/rc.d/S99qosmate": script, "etc/config/qosmate": "config global 'global'\n\toption enabled '0'\nconfig settings 'settings'\n\toption WAN 'eth1'\n"}, nil},
		{"nft-qos as shipped", map[string]string{"etc/rc.d/S99nft-qos": script, "etc/config/nft-qos": "config default default\n\toption limit_enable '0'\n\toption priority_enable '0'\n"}, nil},
		{"nft-qos", map[string]string{"etc/rc.d/S99nft-qos": script, "etc/config/nft-qos": "config default default\n\toption limit_mac_enable '1'\n"},
			[]Manager{{Service: "nft-qos", Evidence: "/etc/rc.d/S99nft-qos exists, and /etc/config/nft-qos enables it"}}},
		{"qos-scripts", map[string]string{"etc/rc.d/S50qos": script, "etc/config/qos": "config interface wan\n\toption enabled 1\n"},
			[]Manager{{Service: "qos", Evidence: "/etc/rc.d/S50qos exists, and /etc/config/qos enables it"}}},
		{"qos-scripts as shipped", map[string]string{"etc/rc.d/S50qos": script, "etc/config/qos": "config interface wan\n\toption enabled 0\n"}, nil},
		{"configuration missing", map[string]string{"etc/rc.d/S50qos": script, "etc/rc.d/S99qosmate": script, "etc/rc.d/S19qosify": script}, nil},
		{"rate controllers", map[string]string{"etc/rc.d/S97cake-autorate": script, "etc/rc.d/S97sqm-autorate": script}, []Manager{
			{Service: "cake-autorate", RateOnly: true, Evidence: "/etc/rc.d/S97cake-autorate exists"},
			{Service: "sqm-autorate", RateOnly: true, Evidence: "/etc/rc.d/S97sqm-autorate exists"}}},
	} {
		if diff := cmp.Diff(c.want, gathered(t, c.files).Managers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestGatherLinks(t *testing.T) {
	const net = "sys/class/net/"
	got := gathered(t, map[string]string{
		net + "eth0/type": "1\n", net + "eth0/uevent": "DEVTYPE=dsa\nINTERFACE=eth0\n", net + "eth0/speed": "1000\n",
		net + "eth0/master": "->../br-lan", net + "eth0/brport/": "", net + "eth0/upper_br-lan": "->../br-lan",
		net + "eth1/type": "1\n", net + "eth1/speed": "-1\n", net + "eth1/uevent": "INTERFACE=eth1\n",
		net + "eth1.7/uevent": "DEVTYPE=vlan\n", net + "eth1.7/lower_eth1": "->../eth1",
		net + "br-lan/uevent": "DEVTYPE=bridge\n", net + "br-lan/lower_eth0": "->../eth0",
		net + "pppoe-wan/type": "512\n", net + "pppoe-wan/uevent": "INTERFACE=pppoe-wan\n",
		net + "vrfport/master": "->../vrf0", net + "vrfport/speed": "garbage",
		net + "bonding_masters": "\n",
	}).Links
	want := map[string]Link{
		"eth0":            {Kind: "dsa", Bridge: "br-lan", SpeedMbit: 1000},
		"eth1":            {},
		"eth1.7":          {Kind: "vlan", Lower: []string{"eth1"}},
		"br-lan":          {Kind: "bridge"},
		"pppoe-wan":       {Kind: "ppp"},
		"vrfport":         {},
		"bonding_masters": {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const (
	routes4 = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n" +
		"eth1\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n" +
		"br-lan\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n" +
		"tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0\n" +
		"dead\t00000000\t00000000\t0200\t0\t0\t0\t00000000\t0\t0\t0\n"
	routes6 = "00000000000000000000000000000000 00 20010db8000000000000000000000000 38 fe800000000000000000000000000001 00000200 00000001 00000000 00000003 eth1\n" +
		"00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000200 00000001 00000000 00000003 wwan0\n" +
		"20010db8000000000000000000000000 38 00000000000000000000000000000000 00 00000000000000000000000000000000 00000200 00000001 00000000 00000001 br-lan\n" +
		"00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200 lo\n"
)

func TestDefaultRoutes(t *testing.T) {
	got := gathered(t, map[string]string{"proc/net/route": routes4, "proc/net/ipv6_route": routes6}).DefaultRoutes
	if diff := cmp.Diff([]string{"eth1", "wwan0"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzDefaultRoutes(f *testing.F) {
	f.Add(routes4, routes6)
	f.Add("a\t00000000\t0\t\xff\t0\t0\t0\t00000000", "0 00 0 0 0 0 0 0 1")
	f.Fuzz(func(t *testing.T, ipv4, ipv6 string) {
		seen := map[string]bool{}
		for _, device := range defaultRoutes(ipv4, ipv6) {
			if seen[device] || device == "" || strings.ContainsAny(device, " \n\t") {
				t.Errorf("device %q", device)
			}
			seen[device] = true
		}
	})
}

// TestGatherTellsOfFiles: what is there and cannot be read is an error, and the
// rest is still told.
func TestGatherTellsOfFiles(t *testing.T) {
	s, err := Gather(tree(t, map[string]string{"etc/config/firewall/": "", "etc/rc.d": "a file", "proc/net/route": routes4}))
	if err == nil || !strings.Contains(err.Error(), "firewall") || !strings.Contains(err.Error(), "rc.d") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"eth1"}, s.DefaultRoutes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(path, make([]byte, maxText+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if n := len(readText(path)); n != maxText {
		t.Errorf("read %d bytes", n)
	}
}

func TestOffloadsOfNoDevice(t *testing.T) {
	for _, name := range []string{"sqmd-none", "a-name-that-is-too-long-for-a-device"} {
		if o, err := ReadOffloads(name); err == nil {
			t.Errorf("%s has offloads %v", name, o)
		}
	}
}

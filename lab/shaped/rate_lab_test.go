// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package shaped_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"sqmd/lab/capture"
	"sqmd/lab/malta"
	"sqmd/tc"
)

// Rates are low enough for an emulated processor to carry twice as much without notice.
const (
	downKbit = 1500
	upKbit   = 1000
)

// Times of a measurement: the flood lasts settle and duration, the first part of which is not looked at.
const (
	settle   = time.Second
	duration = 5 * time.Second
	window   = time.Second
)

// ethernetHeader is the length in bytes of what precedes the IP header in a capture.
const ethernetHeader = 14

func frame(p capture.Packet) int { return p.Length }

// cells counts a packet as ATM with a given overhead carries it: whole cells of 53 bytes with 48 of data each.
func cells(overhead int) func(capture.Packet) int {
	return func(p capture.Packet) int { return (p.Length - ethernetHeader + overhead + 47) / 48 * 53 }
}

// more counts so many bytes more than the frame has.
func more(overhead int) func(capture.Packet) int {
	return func(p capture.Packet) int { return p.Length + overhead }
}

// TestRateOnTheWire offers twice the configured rates both ways at once and looks at what arrives behind the shapers.
func TestRateOnTheWire(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []string
		size    func(capture.Packet) int // what the shaper should count for a packet
	}{
		{"cake", []string{"qdisc cake", "script piece_of_cake.qos"}, frame},
		{"cake-atm", []string{"qdisc cake", "script layer_cake.qos", "linklayer atm", "overhead 44"}, cells(44)},
		{"htb-fq_codel", []string{"qdisc fq_codel", "script simplest.qos"}, frame},
		{"htb-fq_codel-ethernet", []string{"qdisc fq_codel", "script simple.qos", "linklayer ethernet", "overhead 38"}, more(38)},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRouter(t)
			r.shape(queue(append(test.options, fmt.Sprint("download ", downKbit), fmt.Sprint("upload ", upKbit))...))
			ways := []way{{test.name + "-upload", "eth1", r.upload(), upKbit}, {test.name + "-download", "ifb4eth1", r.download(), downKbit}}
			for i, captured := range r.floodBothWays() {
				r.judge(ways[i], captured, test.size)
			}
		})
	}
}

// way is a direction through the router.
type way struct {
	name, device string // that of the shaper
	path         path
	kbit         int
}

// between picks the IPv4 packets of a path.
func between(packets []capture.Packet, p path) []capture.Packet {
	from, to := p.from.IPv4.As4(), p.to.IPv4.As4()
	var picked []capture.Packet
	for _, packet := range packets {
		const addresses = ethernetHeader + 12
		if len(packet.Data) >= addresses+8 && bytes.Equal(packet.Data[12:14], []byte{8, 0}) &&
			bytes.Equal(packet.Data[addresses:addresses+8], append(from[:], to[:]...)) {
			picked = append(picked, packet)
		}
	}
	return picked
}

// floodBothWays offers twice the configured rates and returns what arrives behind the shapers, up and down.
func (r *router) floodBothWays() [2][]capture.Packet {
	r.Helper()
	up, err := capture.Start(r.Modem, "router")
	r.must(err)
	down, err := capture.Start(r.Clients[0].Namespace, r.Clients[0].Device)
	r.must(err)
	const size, times = 1200, 2
	ended := make(chan error)
	for _, offered := range []struct {
		path path
		kbit int
	}{{r.upload(), upKbit}, {r.download(), downKbit}} {
		f := flow{path: offered.path, fromPort: 7001, toPort: 7002, size: size, tos: ect0}
		go func() { ended <- f.flood(times*1000*float64(offered.kbit), settle+duration) }()
	}
	for range 2 {
		r.must(<-ended)
	}
	var captured [2][]capture.Packet
	for i, c := range []*capture.Capture{up, down} {
		captured[i], err = c.Stop()
		r.must(err)
	}
	return captured
}

// keep writes packets to a file of the lab's results, if there are to be any, and returns what such a file holds.
func keep(t *testing.T, name string, packets []capture.Packet) []capture.Packet {
	t.Helper()
	var file bytes.Buffer
	if err := capture.Write(&file, packets); err != nil {
		t.Fatal(err)
	}
	if dir := results(); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, runtime.GOARCH+"-"+name+".pcap"), file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read, err := capture.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// results is the directory for what a guest leaves behind, "" if it is to leave nothing.
func results() string {
	if dir := os.Getenv("SQMD_LAB_OUT"); dir != "" {
		return dir
	}
	if _, err := os.Stat(malta.Out); err == nil {
		return malta.Out
	}
	return ""
}

// burst is how many bytes the shaper of a device may send at once: the most that one of htb's classes has, or a packet.
func (r *router) burst(device string) (most int) {
	r.Helper()
	const packet = 1600 // with overhead
	r.kernel(func(c *tc.Conn, devices devices) error {
		classes, err := c.Classes(devices[device])
		for _, class := range classes {
			if options, ok := class.Options.(*tc.HTBClass); ok {
				most = max(most, int(options.Burst), int(options.Cburst))
			}
		}
		return err
	})
	return most + packet
}

// judge holds the packets that came one way against its rate, after they have been to a file and back.
func (r *router) judge(w way, packets []capture.Packet, size func(capture.Packet) int) {
	r.Helper()
	packets = between(keep(r.T, w.name, packets), w.path)
	if len(packets) == 0 {
		r.Fatalf("%s: no packets arrived", w.name)
	}
	begin := packets[0].At + settle
	var settled []capture.Packet
	for _, p := range packets {
		if p.At >= begin && p.At < begin+duration {
			settled = append(settled, p)
		}
	}
	rate, burst := 1000*float64(w.kbit), float64(r.burst(w.device))
	pace, err := capture.Measure(settled, size, rate, window)
	r.must(err)
	r.Logf("%s at %.0f bit/s: %v", w.name, rate, pace)
	if pace.Burst > burst {
		r.Errorf("%s: up to %.0f bytes more than the rate allows, want at most %.0f", w.name, pace.Burst, burst)
	}
	if most := 1.01*rate + 8*burst/duration.Seconds(); pace.Bits > most {
		r.Errorf("%s: %.0f bit/s, want at most %.0f", w.name, pace.Bits, most)
	}
	if pace.Bits < 0.98*rate || pace.Least < 0.95*rate {
		r.Errorf("%s: %.0f bit/s, in a window only %.0f, want 98 and 95 %% of %.0f", w.name, pace.Bits, pace.Least, rate)
	}
}

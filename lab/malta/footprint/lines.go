// SPDX-License-Identifier: GPL-2.0-or-later

package footprint

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// line is a device to be shaped, and what faces it.
type line struct{ name, peer string }

var lines = []line{{"wan0", "isp0"}, {"wan1", "isp1"}}

func (l line) add() error {
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.TxQLen = l.name, 1000
	if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attributes, PeerName: l.peer}); err != nil {
		return err
	}
	for _, name := range []string{l.name, l.peer} {
		if err := up(name); err != nil {
			return err
		}
	}
	return nil
}

func up(name string) error   { return set(name, netlink.LinkSetUp) }
func down(name string) error { return set(name, netlink.LinkSetDown) }

func set(name string, do func(netlink.Link) error) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	return do(link)
}

// configure writes the configuration for the lines; n varies their rates.
func configure(n int) error {
	var text strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&text, "config queue '%s'\n\toption enabled '1'\n\toption interface '%s'\n", l.name, l.name)
		fmt.Fprintf(&text, "\toption download '%d'\n\toption upload '%d'\n", 100000*(i+1)+n, 20000*(i+1)+n)
		text.WriteString("\toption qdisc 'cake'\n\toption script 'piece_of_cake.qos'\n\toption linklayer 'ethernet'\n\toption overhead '44'\n")
	}
	return os.WriteFile(configFile, []byte(text.String()), 0o644)
}

// allShaped checks that each line has cake in both directions.
func allShaped() error {
	for _, l := range lines {
		for _, name := range []string{l.name, "ifb4" + l.name} {
			link, err := netlink.LinkByName(name)
			if err != nil {
				return fmt.Errorf("look at %s: %w", name, err)
			}
			qdiscs, err := netlink.QdiscList(link)
			if err != nil {
				return fmt.Errorf("look at %s: %w", name, err)
			}
			shaped := false
			for _, q := range qdiscs {
				shaped = shaped || q.Type() == "cake" && q.Attrs().Parent == netlink.HANDLE_ROOT
			}
			if !shaped {
				return fmt.Errorf("%s is not shaped", name)
			}
		}
	}
	return nil
}

// pace is how often an event happens.
const pace = 500 * time.Millisecond

// disturb makes events happen one after the other, and counts them.
func disturb(pid int, d time.Duration, log io.Writer) (n int, err error) {
	events := []func(n int) error{
		func(int) error { return down(lines[0].peer) },
		func(int) error { return up(lines[0].peer) },
		func(int) error { return unix.Kill(pid, syscall.SIGHUP) },
		func(int) error { return set(lines[1].name, netlink.LinkDel) },
		func(int) error { return lines[1].add() },
		func(n int) error {
			if err := configure(n % 1000); err != nil {
				return err
			}
			return unix.Kill(pid, syscall.SIGHUP)
		},
	}
	for end := time.Now().Add(d); time.Now().Before(end) || n%len(events) != 0; n++ {
		if n%120 == 0 {
			fmt.Fprintf(log, "%d events, %v to go\n", n, time.Until(end).Round(time.Second))
		}
		if err := events[n%len(events)](n); err != nil {
			return n, fmt.Errorf("event %d: %w", n, err)
		}
		time.Sleep(pace)
	}
	return n, nil
}

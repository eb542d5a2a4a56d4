// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

const devTitles = "Inter-|   Receive                                                |  Transmit\n" +
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"

func devLine(name string, received, sent uint64) string {
	return fmt.Sprintf("%6s: %d 10 0 0 0 0 0 0 %d 10 0 0 0 0 0 0\n", name, received, sent)
}

// carries lets a device carry so many bytes each second, for some seconds.
func (c *Carried) carries(name string, from, seconds int, start, received, sent uint64) {
	for i := range seconds + 1 {
		n := uint64(i)
		c.take(time.Duration(from+i)*time.Second, []byte(devTitles+devLine("lo", 1<<40*n, 1<<40*n)+devLine(name, start+received*n, start+sent*n)))
	}
}

func (c *Carried) expect(t *testing.T, what, device string, download, upload uint64) {
	t.Helper()
	if d, u := c.Of(device); d != download || u != upload {
		t.Errorf("%s: %s carried %d down and %d up, want %d and %d", what, device, d, u, download, upload)
	}
}

func TestCarried(t *testing.T) {
	var c Carried
	c.expect(t, "at first", "eth1", 0, 0)
	c.carries("eth1", 0, 9, 7000, 125000, 12500)
	c.expect(t, "after nine seconds", "eth1", 0, 0)
	c.carries("eth1", 100, 10, 7000, 125000, 12500)
	c.expect(t, "after ten seconds", "eth1", 1000, 100)
	c.carries("eth1", 200, 30, 7000, 1000, 250000)
	c.expect(t, "the best of each direction", "eth1", 1000, 2000)
	c.carries("eth1", 300, 30, 0, 125, 125)
	c.expect(t, "another device of that name", "eth1", 1000, 2000)
	c.expect(t, "of the loopback", "lo", 0, 0)

	// Ten samples of a machine that stood still tell nothing.
	for i := range 11 {
		n := uint64(i)
		c.take(time.Duration(1000+100*i)*time.Second, []byte(devLine("eth2", n*125000000, 0)))
	}
	c.expect(t, "over minutes", "eth2", 0, 0)

	// A device that is missing in between starts anew and keeps what it has.
	c.carries("pppoe-wan", 5000, 5, 1000, 1250000, 0)
	c.take(5006*time.Second, []byte(devTitles))
	c.carries("pppoe-wan", 5007, 5, 1e9, 1250000, 0)
	c.expect(t, "in two halves", "pppoe-wan", 0, 0)
	c.carries("pppoe-wan", 6000, 10, 0, 1250000, 0)
	c.take(6011*time.Second, []byte(devTitles))
	c.expect(t, "while it is gone", "pppoe-wan", 10000, 0)
}

func TestCarriedIsBounded(t *testing.T) {
	var c Carried
	for i := range 3 * maxCarried {
		c.take(time.Duration(i)*time.Second, []byte(devLine(fmt.Sprintf("veth%d", i), 1, 1)))
	}
	if len(c.devices) > maxCarried {
		t.Errorf("%d devices are followed", len(c.devices))
	}
	c.carries("eth1", 1000, 10, 0, 125000, 125000)
	c.expect(t, "after many others", "eth1", 1000, 1000)
	all := devTitles
	for i := range 2 * maxCarried {
		all += devLine(fmt.Sprintf("tun%d", i), 1, 1)
	}
	c.take(2000*time.Second, []byte(all))
	if len(c.devices) > maxCarried {
		t.Errorf("%d devices are followed", len(c.devices))
	}
}

func TestCarriedReadsTheFile(t *testing.T) {
	root := t.TempDir()
	missing := NewCarried(root)
	missing.Sample(0)
	missing.expect(t, "without a file", "eth1", 0, 0)
	path := filepath.Join(root, "proc/net/dev")
	writeAll(t, path, "")
	c := NewCarried(root)
	now := time.Duration(0)
	for i := range uint64(11) {
		writeAll(t, path, devTitles+devLine("ifb4eth1", 1e9*i, 0)+devLine("eth1", 125000*i, 0))
		now += time.Second
		c.Sample(now)
	}
	c.expect(t, "read", "eth1", 1000, 0)
	c.expect(t, "read", "ifb4eth1", 0, 0)
	if n := testing.AllocsPerRun(100, func() { now += time.Second; c.Sample(now) }); n != 0 {
		t.Errorf("a sample allocates %v times", n)
	}
}

func FuzzCarried(f *testing.F) {
	f.Add([]byte(devTitles+devLine("eth1", 1, 2)), []byte(devTitles+devLine("eth1", 1<<63, 2)))
	f.Add([]byte(":\n::\nx:1\n"), []byte("eth1:1 2 3 4 5 6 7 8 9\n sixteen-bytes-xx: 1 1 1 1 1 1 1 1 1\n"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var c Carried
		for i := range 24 {
			text := first
			if i%12 == 11 {
				text = second
			}
			c.take(time.Duration(i)*time.Second, text)
		}
		if len(c.devices) > maxCarried {
			t.Errorf("%d devices", len(c.devices))
		}
	})
}

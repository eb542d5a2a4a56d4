// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"bytes"
	"path/filepath"
	"time"

	"sqmd/link"
)

// carriedWindow is over how many samples, and about as many seconds, a mean is
// taken.
const carriedWindow = 10

// maxCarried bounds how many devices are followed.
const maxCarried = 64

// Carried remembers the most that each network device has carried: the highest
// mean over ten seconds. It is not safe for concurrent use.
type Carried struct {
	dev     procFile
	buffer  [16 << 10]byte // for some 130 devices
	devices []carried
}

// carried is one device. What it carried is remembered also while it is gone: a
// connection that is dialled anew is a new device of the same name.
type carried struct {
	name     [link.NameMax + 1]byte
	seen     bool // in this reading
	samples  [carriedWindow + 1]reading
	n, last  int // samples there are, and the index of the newest
	download uint64
	upload   uint64 // kbit/s
}

// reading is the counters of a device at a time.
type reading struct {
	at       time.Duration
	download uint64 // bytes
	upload   uint64
}

// NewCarried will read proc/net/dev below root. Where there is none nothing is
// known.
func NewCarried(root string) *Carried {
	return &Carried{dev: procFile{path: filepath.Join(root, "proc/net/dev")}}
}

// Of is the most that a device has carried, in kbit/s as the router sees the
// directions: download is what it received. It is 0 if that is not known.
func (c *Carried) Of(device string) (download, upload uint64) {
	for i := range c.devices {
		if c.devices[i].is([]byte(device)) {
			return c.devices[i].download, c.devices[i].upload
		}
	}
	return 0, 0
}

// Sample takes a reading, about once a second; now is the time since any moment.
// Unless there is a new device it allocates nothing.
func (c *Carried) Sample(now time.Duration) { c.take(now, c.dev.read(c.buffer[:])) }

// take reads /proc/net/dev (proc(5)): two lines of titles, then a line for each
// device with its name, a colon, eight counters of what it received, of which the
// first is bytes, and eight of what it sent.
func (c *Carried) take(now time.Duration, text []byte) {
	for i := range c.devices {
		c.devices[i].seen = false
	}
	for {
		row, rest, ok := line(text)
		if !ok {
			break
		}
		text = rest
		name, r, ok := parseDevice(row)
		if !ok {
			continue
		}
		r.at = now
		if d := c.device(name); d != nil {
			d.seen = true
			d.add(r)
		}
	}
	for i := range c.devices {
		if !c.devices[i].seen {
			c.devices[i].n = 0
		}
	}
}

// parseDevice reads a line. The loopback and IFBs are not told of.
func parseDevice(row []byte) (name []byte, r reading, ok bool) {
	colon := bytes.IndexByte(row, ':')
	if colon < 0 {
		return nil, r, false
	}
	name = bytes.TrimLeft(row[:colon], " ")
	if len(name) == 0 || len(name) > link.NameMax || string(name) == "lo" || bytes.HasPrefix(name, []byte("ifb")) {
		return nil, r, false
	}
	const received, sent, columns = 0, 8, 9
	row = row[colon+1:]
	for i := range columns {
		n, rest, ok := number(row)
		if !ok {
			return nil, r, false
		}
		row = rest
		switch i {
		case received:
			r.download = n
		case sent:
			r.upload = n
		}
	}
	return name, r, true
}

// device finds a device, or makes room for it, if need be that of one that is gone;
// nil if there is none.
func (c *Carried) device(name []byte) *carried {
	var free *carried
	for i := range c.devices {
		d := &c.devices[i]
		if d.is(name) {
			return d
		}
		if d.n == 0 && !d.seen {
			free = d
		}
	}
	if len(c.devices) < maxCarried {
		c.devices = append(c.devices, carried{})
		free = &c.devices[len(c.devices)-1]
	}
	if free == nil {
		return nil
	}
	*free = carried{}
	copy(free.name[:], name)
	return free
}

func (d *carried) is(name []byte) bool {
	end := bytes.IndexByte(d.name[:], 0)
	return bytes.Equal(d.name[:end], name)
}

// add takes a sample. Counters that went back are another device's.
func (d *carried) add(r reading) {
	before := d.samples[d.last]
	if d.n > 0 && (r.download < before.download || r.upload < before.upload || r.at <= before.at) {
		d.n = 0
	}
	d.last = (d.last + 1) % len(d.samples)
	d.samples[d.last] = r
	if d.n = min(d.n+1, len(d.samples)); d.n < len(d.samples) {
		return
	}
	first := d.samples[(d.last+1)%len(d.samples)]
	passed := r.at - first.at
	if passed > 2*carriedWindow*time.Second { // the machine stood still
		return
	}
	ms := uint64(max(passed/time.Millisecond, 1))
	d.download = max(d.download, (r.download-first.download)*8/ms)
	d.upload = max(d.upload, (r.upload-first.upload)*8/ms)
}

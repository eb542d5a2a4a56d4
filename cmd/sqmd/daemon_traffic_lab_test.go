// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	routerAddress = "10.9.0.1"
	peerAddress   = "10.9.0.2"
	floodPort     = 9 // discard
)

const (
	payload = 1400
	// counted is what a shaper on Ethernet counts of a packet: IP, UDP and the link
	// header come to the payload.
	counted = payload + 20 + 8 + 14
	// floodEvery is the time between two bursts. Whatever wakes often is dear in the
	// lab.
	floodEvery = 20 * time.Millisecond
)

// flood sends UDP to an address at a constant rate, whatever becomes of it, and
// counts what arrives.
type flood struct {
	from, to int // sockets
	address  unix.SockaddrInet4
	kbit     int
	owed     time.Duration // of sending
	arrived  atomic.Int64  // bytes as a shaper counts them
}

// startFloods sends twice of what the queue lets pass, both ways.
func (r *router) startFloods() {
	r.t.Helper()
	r.up, r.down = newFlood(peerAddress, 2*upKbit), newFlood(routerAddress, 2*downKbit)
	r.up.from, r.down.to = r.socket(0), r.socket(floodPort)
	r.inPeer(func() { r.down.from, r.up.to = r.socket(0), r.socket(floodPort) })
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		runFloods(stop, r.up, r.down)
	}()
	r.t.Cleanup(func() {
		close(stop)
		<-ended
		for _, fd := range []int{r.up.from, r.up.to, r.down.from, r.down.to} {
			unix.Close(fd)
		}
	})
}

func newFlood(address string, kbit int) *flood {
	return &flood{address: unix.SockaddrInet4{Addr: netip.MustParseAddr(address).As4(), Port: floodPort}, kbit: kbit}
}

// socket opens a UDP socket in the namespace of the thread, where it stays.
func (r *router) socket(port int) int {
	r.t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	r.must(err)
	r.must(unix.Bind(fd, &unix.SockaddrInet4{Port: port}))
	return fd
}

func runFloods(stop <-chan struct{}, floods ...*flood) {
	last := time.Now()
	ticker := time.NewTicker(floodEvery)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		now := time.Now()
		for _, f := range floods {
			f.send(now.Sub(last))
			f.receive()
		}
		last = now
	}
}

// send sends what a while is worth; after a pause that is not all of it.
func (f *flood) send(while time.Duration) {
	packet := make([]byte, payload)
	each := time.Duration(counted*8) * time.Millisecond / time.Duration(f.kbit)
	f.owed += min(while, 3*floodEvery)
	for ; f.owed >= each; f.owed -= each {
		// While there is no device nobody can be reached, and what finds no room is one
		// packet more that is lost.
		_ = unix.Sendto(f.from, packet, 0, &f.address)
	}
}

func (f *flood) receive() {
	packet := make([]byte, payload+1)
	for {
		n, _, err := unix.Recvfrom(f.to, packet, 0)
		if err != nil {
			return
		}
		f.arrived.Add(int64(n + counted - payload))
	}
}

// window is for how long arriving packets are counted.
const window = time.Second

// count is what has arrived until a moment.
type count struct {
	at       time.Time
	up, down int64 // bytes
}

func (r *router) count() count {
	return count{time.Now(), r.up.arrived.Load(), r.down.arrived.Load()}
}

// since is what arrives, on average since another count, in kbit/s.
func (c count) since(before count) (up, down int) {
	ms := c.at.Sub(before.at).Milliseconds()
	return int((c.up - before.up) * 8 / ms), int((c.down - before.down) * 8 / ms)
}

// arriving is what arrives now, in kbit/s.
func (r *router) arriving() (up, down int) {
	before := r.count()
	time.Sleep(window)
	return r.count().since(before)
}

// expectPackets judges shaping by what arrives: within 5 % of each limit, which
// is four packets; 0 is for none that is judged.
func (r *router) expectPackets(up, down int) {
	r.t.Helper()
	gotUp, gotDown := r.arriving()
	r.t.Logf("arriving: %d kbit/s up, %d down; limits %d, %d", gotUp, gotDown, up, down)
	within := func(got, limit int) bool { return limit == 0 || got >= limit*95/100 && got <= limit*105/100 }
	if !within(gotUp, up) || !within(gotDown, down) {
		r.t.Errorf("arriving: %d kbit/s up, %d down; limits are %d and %d", gotUp, gotDown, up, down)
	}
}

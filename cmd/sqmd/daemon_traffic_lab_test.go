// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
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
	// owedMost bounds what is sent at once after a pause, in packets.
	owedMost = 8
)

// flood sends UDP at a constant rate to an address, whatever becomes of it, and
// counts what arrives.
type flood struct {
	from, to *net.UDPConn
	arrived  atomic.Int64 // bytes as a shaper counts them
	stop     chan struct{}
	ended    sync.WaitGroup
}

// startFloods sends twice of what the queue lets pass, both ways.
func (r *router) startFloods() {
	r.t.Helper()
	var mine, theirs [2]*net.UDPConn // for sending and receiving
	open := func(sockets *[2]*net.UDPConn) {
		for i, port := range []int{0, floodPort} {
			var err error
			sockets[i], err = net.ListenUDP("udp4", &net.UDPAddr{Port: port})
			r.must(err)
		}
	}
	open(&mine)
	r.inPeer(func() { open(&theirs) })
	r.up = startFlood(mine[0], theirs[1], peerAddress, 2*upKbit)
	r.down = startFlood(theirs[0], mine[1], routerAddress, 2*downKbit)
	r.t.Cleanup(r.up.end)
	r.t.Cleanup(r.down.end)
}

func startFlood(from, to *net.UDPConn, address string, kbit int) *flood {
	f := &flood{from: from, to: to, stop: make(chan struct{})}
	f.ended.Add(2)
	go f.send(&net.UDPAddr{IP: net.ParseIP(address), Port: floodPort}, kbit)
	go f.receive()
	return f
}

func (f *flood) end() {
	close(f.stop)
	f.from.Close()
	f.to.Close()
	f.ended.Wait()
}

func (f *flood) send(to *net.UDPAddr, kbit int) {
	defer f.ended.Done()
	packet := make([]byte, payload)
	interval := time.Duration(counted*8) * time.Millisecond / time.Duration(kbit)
	next := time.Now()
	for {
		select {
		case <-f.stop:
			return
		default:
		}
		now := time.Now()
		if now.Sub(next) > owedMost*interval {
			next = now.Add(-owedMost * interval)
		}
		for ; next.Before(now); next = next.Add(interval) {
			// While there is no device nobody can be reached.
			_, _ = f.from.WriteToUDP(packet, to)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (f *flood) receive() {
	defer f.ended.Done()
	packet := make([]byte, payload+1)
	for {
		n, err := f.to.Read(packet)
		if err != nil {
			return
		}
		f.arrived.Add(int64(n + counted - payload))
	}
}

// window is for how long arriving packets are counted, and windows how many of
// them may be needed: a machine that stands still makes bursts.
const (
	window  = 300 * time.Millisecond
	windows = 8
)

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

// expectPackets judges shaping by what arrives: within 80 and 110 % of each limit,
// 0 for none that is judged, in one window or in all so far.
func (r *router) expectPackets(up, down int) {
	r.t.Helper()
	within := func(got, limit int) bool { return limit == 0 || got >= limit*80/100 && got <= limit*110/100 }
	var seen [][2]int
	start := r.count()
	last := start
	for range windows {
		time.Sleep(window)
		now := r.count()
		for _, before := range []count{last, start} {
			gotUp, gotDown := now.since(before)
			if within(gotUp, up) && within(gotDown, down) {
				r.t.Logf("arriving: %d kbit/s up, %d down; limits %d, %d", gotUp, gotDown, up, down)
				return
			}
			seen = append(seen, [2]int{gotUp, gotDown})
		}
		last = now
	}
	r.t.Errorf("kbit/s arriving up and down, in windows and in all: %v, limits are %d and %d", seen, up, down)
}

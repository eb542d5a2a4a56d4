// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// prober sends numbered packets at fixed times and collects what arrives. It gives the kernel the packets of some time
// ahead, and collects in batches: a probe that needs the processor at each packet's time would, in user-mode Linux at
// ten thousand timer interrupts a second, rarely get it, and take all of it.
type prober struct {
	sender, receiver int
	interval         time.Duration
	// make returns the packet with a number, arrived takes one with its time since the start.
	make    func(number uint32) []byte
	arrived func(data []byte, at time.Duration)
	// complete tells that there is nothing left to wait for.
	complete func() bool

	clock    clock
	sent     []time.Duration // when, since the start, by number
	batch    batch
	patience atomic.Int64 // ns to wait for the last packets; 0 while sending
	finished chan error
}

// Packets are scheduled until lead from now, anew every period.
const (
	lead   = 2 * time.Second
	period = 700 * time.Millisecond
)

// lastPeriod is how often to look for the last packets.
const lastPeriod = 50 * time.Millisecond

// probeBuffer is enough, in bytes, for all packets scheduled ahead, and for those that arrive in a period.
const probeBuffer = 32 << 20

// start begins to send on sender, which is connected, and to collect from receiver; both may be the same.
func (p *prober) start() error {
	for _, option := range []struct{ socket, name int }{{p.sender, unix.SO_SNDBUFFORCE}, {p.receiver, unix.SO_RCVBUFFORCE}} {
		if err := unix.SetsockoptInt(option.socket, unix.SOL_SOCKET, option.name, probeBuffer); err != nil {
			return err
		}
	}
	if err := allowSchedule(p.sender); err != nil {
		return err
	}
	if err := stampArrivals(p.receiver); err != nil {
		return err
	}
	var err error
	if p.clock, err = newClock(); err != nil {
		return err
	}
	p.finished = make(chan error, 1)
	go func() { p.finished <- p.run() }()
	return nil
}

// stop schedules no more packets, waits until those that are have been sent and, up to patience, for their arrival.
func (p *prober) stop(patience time.Duration) error {
	p.patience.Store(int64(max(1, patience)))
	return <-p.finished
}

func (p *prober) run() error {
	// A locked thread that sleeps in the kernel spares the Go scheduler's own waking and sleeping.
	runtime.LockOSThread()
	for p.patience.Load() == 0 {
		now, err := p.clock.now()
		if err != nil {
			return err
		}
		p.schedule(now)
		p.collect()
		sleep(period)
	}
	end := p.sent[len(p.sent)-1] + time.Duration(p.patience.Load())
	for {
		p.collect()
		now, err := p.clock.now()
		if err != nil || now > end || p.complete() {
			return err
		}
		sleep(lastPeriod)
	}
}

// sleep sleeps in the kernel, perhaps less than d.
func sleep(d time.Duration) {
	wait := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&wait, nil)
}

// schedule hands the kernel the packets that are due until lead from now.
func (p *prober) schedule(now time.Duration) {
	next := time.Duration(0)
	if n := len(p.sent); n > 0 {
		next = p.sent[n-1] + p.interval
	}
	// After a pause longer than lead the times that passed are left out.
	next = max(next, now)
	var packets []packet
	for ; next < now+lead; next += p.interval {
		packets = append(packets, packet{p.make(uint32(len(p.sent))), p.clock.monotonic + int64(next)})
		p.sent = append(p.sent, next)
	}
	for len(packets) > 0 {
		taken, err := p.batch.send(p.sender, packets[:min(batchSize, len(packets))])
		if err != nil {
			taken = 1 // a packet that cannot be sent is a lost one
		}
		packets = packets[taken:]
	}
}

// collect takes all that has arrived.
func (p *prober) collect() {
	for {
		packets, err := p.batch.receive(p.receiver)
		if err != nil {
			return // nothing there
		}
		for _, packet := range packets {
			p.arrived(packet.data, p.clock.stamped(packet.at))
		}
	}
}

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
	// packet returns the data of a number, valid until the next call; arrived takes data with its time since the start.
	packet  func(number uint32) []byte
	arrived func(data []byte, at time.Duration)
	// complete tells that there is nothing left to wait for.
	complete func() bool

	clock                     clock
	next                      time.Duration   // when the next packet is due
	sent                      []time.Duration // when, since the start, by number
	sendBuffer, receiveBuffer batch
	patience                  atomic.Int64 // ns to wait for the last packets; 0 while sending
	finished                  chan error
}

// Packets are scheduled until lead from now, anew every period.
const (
	lead   = 2 * time.Second
	period = 700 * time.Millisecond
)

// grain is how close packets leave at their own times each; those of faster streams leave in groups, one for each grain,
// as each time of departure is a timer interrupt here and another one at the delay.
const grain = time.Millisecond

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
		if err := p.schedule(); err != nil {
			return err
		}
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
func (p *prober) schedule() error {
	begin, err := p.clock.now()
	if err != nil {
		return err
	}
	for now := begin; ; {
		// Times that have passed, because the processor was elsewhere or is too slow for the rate, are left out.
		p.next = max(p.next, now)
		count := 0
		for ; count < batchSize && p.next < begin+lead; p.next += p.interval {
			at := p.next
			if p.interval < grain {
				at = at.Truncate(grain)
			}
			p.sendBuffer.put(count, p.packet(uint32(len(p.sent))), p.clock.monotonic+int64(at))
			p.sent = append(p.sent, at)
			count++
		}
		if count == 0 {
			return nil
		}
		for first := 0; first < count; {
			taken, err := p.sendBuffer.send(p.sender, first, count)
			if err != nil {
				taken = 1 // a packet that cannot be sent is a lost one
			}
			first += taken
		}
		if now, err = p.clock.now(); err != nil {
			return err
		}
	}
}

// collect takes all that has arrived.
func (p *prober) collect() {
	for {
		packets, err := p.receiveBuffer.receive(p.receiver)
		if err != nil {
			return // nothing there
		}
		for _, packet := range packets {
			p.arrived(packet.data, p.clock.stamped(packet.at))
		}
	}
}

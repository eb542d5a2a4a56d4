// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Bulk is a number of TCP connections that carry as many bytes as they can.
type Bulk struct {
	Path
	// Flows is the number of connections; one by default.
	Flows int
	// DSCP is the codepoint of the data packets, 0 to 63.
	DSCP uint8
}

// Transfer is a Bulk on its way.
type Transfer struct {
	senders, receivers []int
	stopped            atomic.Bool
	threads            sync.WaitGroup
}

// Sizes in bytes. Receivers wake for wakeSize, so that few system calls carry much; the window must be much larger than
// that, or it would close before they wake.
const (
	writeSize  = 1 << 20
	wakeSize   = 256 << 10
	windowSize = 4 << 20
)

// Start opens the connections and begins to send.
func (b Bulk) Start() (*Transfer, error) {
	t := new(Transfer)
	for range max(1, b.Flows) {
		if err := b.connect(t); err != nil {
			t.Stop()
			return nil, fmt.Errorf("connect %v: %w", b.Path, err)
		}
	}
	for i := range t.senders {
		t.threads.Add(2)
		go t.send(t.senders[i])
		go t.receive(t.receivers[i])
	}
	return t, nil
}

func (b Bulk) connect(t *Transfer) error {
	address := b.destination()
	listener, err := openSocket(b.To.Namespace, address, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(listener)
	to, err := bind(listener, address)
	if err != nil {
		return err
	}
	if err := unix.SetsockoptInt(listener, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, windowSize); err != nil {
		return err
	}
	if err := unix.Listen(listener, 1); err != nil {
		return err
	}
	sender, err := openSocket(b.From.Namespace, address, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	t.senders = append(t.senders, sender)
	if err := setDSCP(sender, address, b.DSCP); err != nil {
		return err
	}
	if err := unix.Connect(sender, socketAddress(to)); err != nil {
		return err
	}
	receiver, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if err != nil {
		return err
	}
	t.receivers = append(t.receivers, receiver)
	for _, socket := range []int{sender, receiver} {
		if err := setPatience(socket, stopPatience); err != nil {
			return err
		}
	}
	return unix.SetsockoptInt(receiver, unix.SOL_SOCKET, unix.SO_RCVLOWAT, wakeSize)
}

func (t *Transfer) send(socket int) {
	defer t.threads.Done()
	data := make([]byte, writeSize)
	for !t.stopped.Load() {
		if _, err := unix.Write(socket, data); err != nil && !retry(err) {
			return
		}
	}
}

// receive discards what arrives. MSG_TRUNC makes the kernel do so, without a copy (tcp(7)): the buffer only tells how
// much at most.
func (t *Transfer) receive(socket int) {
	defer t.threads.Done()
	buffer := make([]byte, windowSize)
	for !t.stopped.Load() {
		n, _, err := unix.Recvfrom(socket, buffer, unix.MSG_TRUNC)
		if err != nil && !retry(err) || err == nil && n == 0 {
			return
		}
	}
}

// Received returns how many bytes have arrived in order at all receivers' kernels, whether or not they were read.
func (t *Transfer) Received() (uint64, error) {
	var sum uint64
	for _, socket := range t.receivers {
		info, err := unix.GetsockoptTCPInfo(socket, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return 0, fmt.Errorf("read TCP statistics: %w", err)
		}
		sum += info.Bytes_received
	}
	return sum, nil
}

// Stop ends the connections by reset: what is still queued in hosts is discarded, what is queued on the way is not.
func (t *Transfer) Stop() {
	t.stopped.Store(true)
	t.threads.Wait()
	for _, socket := range append(t.senders, t.receivers...) {
		// A linger time of zero turns the end of a connection into a reset (socket(7)).
		unix.SetsockoptLinger(socket, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
		unix.Close(socket)
	}
}

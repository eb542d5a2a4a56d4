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
	data               int
	senders, receivers []int
	stopped            atomic.Bool
	threads            sync.WaitGroup
}

// Sizes in bytes. Receivers wake for wakeSize, so that few switches carry much; the window must be much larger than that,
// or it would close before they wake. A system call carries up to callSize, which takes longer than a transfer does: the
// threads are inside the kernel from beginning to end, and Go's own watching thread sleeps.
const (
	wakeSize   = 256 << 10
	windowSize = 4 << 20
	callSize   = 1 << 30
)

// Start opens the connections and begins to send.
func (b Bulk) Start() (*Transfer, error) {
	t := new(Transfer)
	var err error
	if t.data, err = dataFile(); err != nil {
		return nil, err
	}
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
	if err := connectTCP(sender, to); err != nil {
		return err
	}
	receiver, err := accept(listener)
	if err != nil {
		return err
	}
	t.receivers = append(t.receivers, receiver)
	return unix.SetsockoptInt(receiver, unix.SOL_SOCKET, unix.SO_RCVLOWAT, wakeSize)
}

// dataFile returns a file in memory that is all hole: reading it takes no memory.
func dataFile() (file int, err error) {
	if file, err = unix.MemfdCreate("bulk", unix.MFD_CLOEXEC); err != nil {
		return 0, fmt.Errorf("make data to send: %w", err)
	}
	if err = unix.Ftruncate(file, callSize); err != nil {
		unix.Close(file)
		return 0, fmt.Errorf("make data to send: %w", err)
	}
	return file, nil
}

// send sends the same file over and over. The kernel waits for the connection inside of sendfile(2), so that the thread
// rarely gets back to user mode.
func (t *Transfer) send(socket int) {
	defer t.threads.Done()
	for !t.stopped.Load() {
		var offset int64
		if _, err := unix.Sendfile(socket, t.data, &offset, callSize); err != nil && err != unix.EINTR {
			return
		}
	}
}

// receive discards what arrives, inside the kernel too: MSG_WAITALL makes it wait for a full buffer, and MSG_TRUNC
// discard the data instead of writing it there (tcp(7)).
func (t *Transfer) receive(socket int) {
	defer t.threads.Done()
	buffer, err := unix.Mmap(-1, 0, callSize, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return // Received will tell that nothing comes
	}
	defer unix.Munmap(buffer)
	for !t.stopped.Load() {
		n, _, err := unix.Recvfrom(socket, buffer, unix.MSG_WAITALL|unix.MSG_TRUNC)
		if err != nil && err != unix.EINTR || err == nil && n == 0 {
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
	sockets := append(t.senders, t.receivers...)
	for _, socket := range sockets {
		unix.Shutdown(socket, unix.SHUT_RDWR) // wakes its thread
	}
	t.threads.Wait()
	for _, socket := range sockets {
		// A linger time of zero turns the end of a connection into a reset (socket(7)).
		unix.SetsockoptLinger(socket, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
		unix.Close(socket)
	}
	unix.Close(t.data)
}

// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// batchSize is how many packets one system call carries at most.
const batchSize = 64

// bufferSize is enough for what probes send.
const bufferSize = 2048

// mmsghdr is struct mmsghdr of recvmmsg(2).
type mmsghdr struct {
	unix.Msghdr
	length uint32
}

// batch is the memory for one call of sendmmsg(2) or recvmmsg(2).
type batch struct {
	headers  [batchSize]mmsghdr
	vectors  [batchSize]unix.Iovec
	buffers  [batchSize][bufferSize]byte
	controls [batchSize][64]byte
}

// message connects the i-th header with its buffers, of the given lengths.
func (b *batch) message(i, data, control int) {
	b.vectors[i].Base = &b.buffers[i][0]
	b.vectors[i].SetLen(data)
	b.headers[i] = mmsghdr{}
	b.headers[i].Iov = &b.vectors[i]
	b.headers[i].SetIovlen(1)
	b.headers[i].Control = &b.controls[i][0]
	b.headers[i].SetControllen(control)
}

// packet is data that has arrived, and when by CLOCK_REALTIME, in ns.
type packet struct {
	data []byte
	at   int64
}

// allowSchedule lets a socket say when each packet is to be sent, by CLOCK_MONOTONIC. The qdisc of the device must be one
// that keeps to it, as fq does.
func allowSchedule(socket int) error {
	// struct sock_txtime of linux/net_tstamp.h: the clock and no flags.
	option := binary.NativeEndian.AppendUint32(nil, unix.CLOCK_MONOTONIC)
	option = binary.NativeEndian.AppendUint32(option, 0)
	if err := unix.SetsockoptString(socket, unix.SOL_SOCKET, unix.SO_TXTIME, string(option)); err != nil {
		return fmt.Errorf("schedule packets: %w", err)
	}
	return nil
}

// put makes data the i-th packet of the next send, to leave at a time in ns of CLOCK_MONOTONIC.
func (b *batch) put(i int, data []byte, at int64) {
	control := (*unix.Cmsghdr)(unsafe.Pointer(&b.controls[i]))
	control.Level = unix.SOL_SOCKET
	control.Type = unix.SCM_TXTIME
	control.SetLen(unix.CmsgLen(8))
	binary.NativeEndian.PutUint64(b.controls[i][unix.CmsgLen(0):], uint64(at))
	b.message(i, copy(b.buffers[i][:], data), unix.CmsgSpace(8))
}

// send hands the packets from first to before end to the kernel, and returns how many it took.
func (b *batch) send(socket, first, end int) (int, error) {
	n, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(socket), uintptr(unsafe.Pointer(&b.headers[first])), uintptr(end-first), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// stampArrivals makes the kernel note when it gets each of the socket's packets from the device.
func stampArrivals(socket int) error {
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return fmt.Errorf("ask for timestamps: %w", err)
	}
	return nil
}

// receive returns the packets that are waiting, batchSize at most, without waiting for any. They are valid until the
// next call.
func (b *batch) receive(socket int) ([]packet, error) {
	for i := range b.headers {
		b.message(i, bufferSize, len(b.controls[i]))
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(socket), uintptr(unsafe.Pointer(&b.headers)), batchSize, unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return nil, errno
	}
	packets := make([]packet, 0, n)
	for i := range int(n) {
		at, err := timestamp(b.controls[i][:b.headers[i].Controllen])
		if err != nil {
			return nil, err
		}
		packets = append(packets, packet{b.buffers[i][:b.headers[i].length], at})
	}
	return packets, nil
}

// timestamp finds a packet's time of arrival among its control messages.
func timestamp(control []byte) (int64, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0, fmt.Errorf("read timestamp: %w", err)
	}
	for _, message := range messages {
		// The message's type equals the option's number, as with SO_TIMESTAMP (socket(7)).
		if message.Header.Level == unix.SOL_SOCKET && message.Header.Type == unix.SO_TIMESTAMPNS {
			return (*unix.Timespec)(unsafe.Pointer(unsafe.SliceData(message.Data))).Nano(), nil
		}
	}
	return 0, fmt.Errorf("read timestamp: packet without one")
}

// SPDX-License-Identifier: GPL-2.0-or-later

package capture

import (
	"encoding/binary"
	"fmt"
	"net"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"sqmd/lab"
)

// Capture is the recording of one device's packets.
type Capture struct {
	socket  int
	packets []Packet
	stopped chan struct{}
	ended   chan error
}

// snapLength is how many bytes of each packet are kept: all headers.
const snapLength = 128

// bufferSize holds, in bytes, what arrives while nobody looks.
const bufferSize = 8 << 20

// patience is how often a capture without packets looks whether it is to end.
const patience = 50 * time.Millisecond

// protocolAll is ETH_P_ALL, linux/if_ether.h.
const protocolAll = 0x0003

// Start begins to record what arrives at a device; what leaves it is not recorded.
func Start(in lab.Namespace, device string) (*Capture, error) {
	c := &Capture{stopped: make(chan struct{}), ended: make(chan error, 1)}
	err := in.Do(func() (err error) {
		link, err := net.InterfaceByName(device)
		if err != nil {
			return err
		}
		c.socket, err = open(link.Index)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("capture on %s in %s: %w", device, in, err)
	}
	go func() { c.ended <- c.record() }()
	return c, nil
}

// open makes a socket for all packets of a device.
func open(ifindex int) (int, error) {
	// Without a protocol it gets no packet before it is bound to the device.
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	timeout := unix.NsecToTimeval(int64(patience))
	for _, err := range []error{
		unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bufferSize),
		unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
		unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout),
		unix.Bind(socket, &unix.SockaddrLinklayer{Protocol: networkOrder(protocolAll), Ifindex: ifindex}),
	} {
		if err != nil {
			unix.Close(socket)
			return 0, err
		}
	}
	return socket, nil
}

// networkOrder gives the number whose bytes in memory are those of n in network order.
func networkOrder(n uint16) uint16 {
	return binary.NativeEndian.Uint16([]byte{byte(n >> 8), byte(n)})
}

// Stop ends the capture and returns the packets, in order of time. It is an error if the kernel had to leave some out.
func (c *Capture) Stop() ([]Packet, error) {
	close(c.stopped)
	err := <-c.ended
	defer unix.Close(c.socket)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	statistics, err := unix.GetsockoptTpacketStats(c.socket, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return nil, fmt.Errorf("capture: read statistics: %w", err)
	}
	if statistics.Drops > 0 {
		return nil, fmt.Errorf("capture: %d packets are missing, there was no room for them", statistics.Drops)
	}
	return c.packets, nil
}

// record takes packets until the capture is stopped and none is waiting.
func (c *Capture) record() error {
	data, control := make([]byte, snapLength), make([]byte, 128)
	for {
		length, controlled, _, from, err := unix.Recvmsg(c.socket, data, control, unix.MSG_TRUNC)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			select {
			case <-c.stopped:
				return nil
			default:
				continue
			}
		case err != nil:
			return err
		}
		if link, ok := from.(*unix.SockaddrLinklayer); ok && link.Pkttype == unix.PACKET_OUTGOING {
			continue
		}
		at, err := timestamp(control[:controlled])
		if err != nil {
			return err
		}
		kept := append([]byte(nil), data[:min(length, len(data))]...)
		c.packets = append(c.packets, Packet{At: at, Length: length, Data: kept})
	}
}

// timestamp finds a packet's time of arrival among its control messages.
func timestamp(control []byte) (time.Duration, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0, fmt.Errorf("read timestamp: %w", err)
	}
	for _, m := range messages {
		// The message's type equals the option's number, as with SO_TIMESTAMP (socket(7)).
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPNS {
			return time.Duration((*unix.Timespec)(unsafe.Pointer(unsafe.SliceData(m.Data))).Nano()), nil
		}
	}
	return 0, fmt.Errorf("read timestamp: packet without one")
}

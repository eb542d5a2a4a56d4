// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// arrival is a packet and when the kernel got it from the device, by the clock of time.Now.
type arrival struct {
	data []byte
	at   time.Time
}

// stampArrivals makes receive work on a socket.
func stampArrivals(socket int) error {
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return fmt.Errorf("ask for timestamps: %w", err)
	}
	return nil
}

var errNoTimestamp = errors.New("packet without timestamp")

// receive returns the next packet. An error that retry accepts means that none came.
func receive(socket int, buffer []byte, flags int) (arrival, error) {
	var control [128]byte
	n, controlLength, _, _, err := unix.Recvmsg(socket, buffer, control[:], flags)
	if err != nil {
		return arrival{}, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:controlLength])
	if err != nil {
		return arrival{}, fmt.Errorf("read timestamp: %w", err)
	}
	for _, message := range messages {
		// The message's type equals the option's number (socket(7), SO_TIMESTAMPNS is alike SO_TIMESTAMP).
		if message.Header.Level == unix.SOL_SOCKET && message.Header.Type == unix.SO_TIMESTAMPNS {
			stamp := (*unix.Timespec)(unsafe.Pointer(unsafe.SliceData(message.Data)))
			return arrival{buffer[:n], time.Unix(stamp.Unix())}, nil
		}
	}
	return arrival{}, errNoTimestamp
}

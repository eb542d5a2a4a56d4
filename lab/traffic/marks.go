// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Marks sends UDP packets with chosen codepoints and sees with which they arrive.
type Marks struct {
	Path
	// DSCP lists the codepoints, 0 to 63 each.
	DSCP []uint8
	// Count is how many packets are sent with each; 10 by default.
	Count int
}

// markInterval is the time between two packets, long enough for none to wait for another on a slow line.
const markInterval = 2 * time.Millisecond

// markSilence is how long to wait for a packet that may still be on its way.
const markSilence = time.Second

// Send sends all packets, waits for them and returns how many arrived with each codepoint.
func (m Marks) Send() (map[uint8]int, error) {
	sender, receiver, err := m.openUDP()
	if err != nil {
		return nil, fmt.Errorf("send marks from %v: %w", m.Path, err)
	}
	defer unix.Close(sender)
	defer unix.Close(receiver)
	option := m.receivedOption()
	if err := unix.SetsockoptInt(receiver, option.level, option.enable, 1); err != nil {
		return nil, fmt.Errorf("ask for codepoints: %w", err)
	}
	if m.Count == 0 {
		m.Count = 10
	}
	for _, dscp := range m.DSCP {
		if err := setDSCP(sender, m.destination(), dscp); err != nil {
			return nil, err
		}
		for range m.Count {
			if err := unix.Send(sender, make([]byte, 64), 0); err != nil {
				return nil, fmt.Errorf("send marks from %v: %w", m.Path, err)
			}
			time.Sleep(markInterval)
		}
	}
	return option.collect(receiver, len(m.DSCP)*m.Count)
}

// codepointOption is how a socket tells the traffic class of what it receives.
type codepointOption struct {
	level, enable, message int
}

func (m Marks) receivedOption() codepointOption {
	if m.IPv6 {
		return codepointOption{unix.IPPROTO_IPV6, unix.IPV6_RECVTCLASS, unix.IPV6_TCLASS}
	}
	return codepointOption{unix.IPPROTO_IP, unix.IP_RECVTOS, unix.IP_TOS}
}

// collect counts the codepoints of up to total packets, until none has come for a while.
func (o codepointOption) collect(receiver, total int) (map[uint8]int, error) {
	if err := setPatience(receiver, markSilence); err != nil {
		return nil, err
	}
	counts := map[uint8]int{}
	buffer, control := make([]byte, 64), make([]byte, 64)
	for ; total > 0; total-- {
		_, n, _, _, err := unix.Recvmsg(receiver, buffer, control, 0)
		if retry(err) {
			return counts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("receive marks: %w", err)
		}
		messages, err := unix.ParseSocketControlMessage(control[:n])
		if err != nil {
			return nil, fmt.Errorf("receive marks: %w", err)
		}
		for _, message := range messages {
			if int(message.Header.Level) == o.level && int(message.Header.Type) == o.message {
				counts[o.dscp(message.Data)]++
			}
		}
	}
	return counts, nil
}

// dscp returns the upper six bits of the traffic class, which is one byte in IPv4 and an int, in the machine's order, in
// IPv6.
func (o codepointOption) dscp(data []byte) uint8 {
	if o.level == unix.IPPROTO_IPV6 {
		return uint8(binary.NativeEndian.Uint32(data)) >> 2
	}
	return data[0] >> 2
}

// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab/dsfield"
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
	if err := dsfield.Ask(receiver, m.IPv6); err != nil {
		return nil, err
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
	return collect(receiver, len(m.DSCP)*m.Count)
}

// collect counts the codepoints of up to total packets, until none has come for a while.
func collect(receiver, total int) (map[uint8]int, error) {
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
		octet, err := dsfield.Of(control[:n])
		if err != nil {
			return nil, fmt.Errorf("receive marks: %w", err)
		}
		counts[octet>>2]++
	}
	return counts, nil
}

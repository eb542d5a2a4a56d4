// SPDX-License-Identifier: GPL-2.0-or-later

package openwrt

import (
	"bytes"
	"errors"
	"fmt"
)

// hideApplets makes a busybox without programs of its own of these names. Distributions build it with a shell that
// takes its own programs before those in PATH, which OpenWrt's does not, so that a stand-in would never be called. The
// names stand in the binary one after the other, in order and each ended by NUL; the last letter of each becomes the
// one before it, which keeps the order.
func hideApplets(binary []byte, names []string) ([]byte, error) {
	start := bytes.Index(binary, []byte("\x00[\x00[[\x00"))
	if start < 0 {
		return nil, errors.New("find the names of busybox's programs: they are not where they are known to be")
	}
	binary = bytes.Clone(binary)
	table := binary[start:]
	// An empty name ends it, or alignment does.
	if end := bytes.Index(table[1:], []byte{0, 0}); end >= 0 {
		table = table[:end+2]
	}
	for _, name := range names {
		at := bytes.Index(table, []byte("\x00"+name+"\x00"))
		if at < 0 {
			continue // there is no such program
		}
		last := at + len(name)
		table[last]--
		if before := bytes.LastIndexByte(table[:at], 0); string(table[before+1:at]) >= string(table[at+1:last+1]) {
			return nil, fmt.Errorf("hide busybox's program %s: its names would be out of order", name)
		}
	}
	return binary, nil
}

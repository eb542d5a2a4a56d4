// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"strconv"
	"strings"
)

// etherAddr is an Ethernet address. Package net has one too, and with it more than the
// binary of a router should carry.
type etherAddr [6]byte

// parseMAC reads six bytes of one or two hexadecimal digits with colons between
// them, the form of tc(8).
func parseMAC(s string) (etherAddr, error) {
	var m etherAddr
	digits := strings.Split(s, ":")
	if len(digits) != len(m) {
		return m, fmt.Errorf("%q is not a hardware address", s)
	}
	for i, d := range digits {
		n, err := strconv.ParseUint(d, 16, 8)
		if err != nil || len(d) > 2 || d[0] == '+' {
			return m, fmt.Errorf("%q is not a hardware address", s)
		}
		m[i] = byte(n)
	}
	return m, nil
}

// String is the address with two digits for each byte.
func (m etherAddr) String() string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5])
}

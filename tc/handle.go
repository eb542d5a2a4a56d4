// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"strconv"
	"strings"
)

// Handle names a qdisc (major number, minor 0) or a class (major and minor), as
// in tcm_handle and tcm_parent: major in the upper 16 bits.
type Handle uint32

// Reserved parents (linux/pkt_sched.h).
const (
	// Root is the parent of a device's root qdisc (TC_H_ROOT).
	Root Handle = 0xffffffff
	// IngressParent is the parent of an ingress or clsact qdisc (TC_H_INGRESS).
	IngressParent Handle = 0xfffffff1
	// IngressHandle is the handle of an ingress or clsact qdisc, "ffff:".
	IngressHandle Handle = 0xffff0000
	// IngressHook is the filter parent for arriving packets; it works under
	// ingress and clsact alike (TC_H_MIN_INGRESS).
	IngressHook Handle = 0xfffffff2
	// EgressHook is the filter parent for departing packets under clsact
	// (TC_H_MIN_EGRESS).
	EgressHook Handle = 0xfffffff3
)

// MakeHandle joins a major and a minor number.
func MakeHandle(major, minor uint16) Handle { return Handle(major)<<16 | Handle(minor) }

// Major is the qdisc part of the handle.
func (h Handle) Major() uint16 { return uint16(h >> 16) }

// Minor is the class part of the handle; 0 for the qdisc itself.
func (h Handle) Minor() uint16 { return uint16(h) }

// String is the tc(8) form: "1:", "1:12", "root", "ffff:fff2".
func (h Handle) String() string {
	switch {
	case h == Root:
		return "root"
	case h.Minor() == 0:
		return fmt.Sprintf("%x:", h.Major())
	default:
		return fmt.Sprintf("%x:%x", h.Major(), h.Minor())
	}
}

// ParseHandle reads the tc(8) forms "root", "none", "1:", "1:12" and ":12", all
// numbers hexadecimal.
func ParseHandle(s string) (Handle, error) {
	switch s {
	case "root":
		return Root, nil
	case "none":
		return 0, nil
	}
	major, minor, colon := strings.Cut(s, ":")
	if !colon {
		minor = ""
	}
	var parts [2]uint64
	for i, text := range []string{major, minor} {
		if text == "" {
			continue
		}
		n, err := strconv.ParseUint(text, 16, 16)
		if err != nil {
			return 0, fmt.Errorf("%q is not a handle: major:minor, hexadecimal", s)
		}
		parts[i] = n
	}
	if s == "" || s == ":" {
		return 0, fmt.Errorf("%q is not a handle: major:minor, hexadecimal", s)
	}
	return MakeHandle(uint16(parts[0]), uint16(parts[1])), nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

// Package ifb is the ingress device: how it is named and marked as ours, and the
// redirect that leads a device's arriving packets through it, so that a qdisc on
// it shapes the download.
package ifb

import (
	"fmt"
	"hash/crc32"
	"strings"

	"sqmd/link"
	"sqmd/tc"
)

// Link is a network device.
type Link = link.Link

const (
	namePrefix  = "ifb4"
	aliasPrefix = "sqmd:"
)

// Name is the name of the IFB for device: "ifb4" and the device's name, cut to
// [link.NameMax], which other tools look for. When the cut name is taken by another
// device's IFB, the tail is a hash of the whole name instead.
func Name(device string, taken func(name string) bool) string {
	name := namePrefix + device
	name = name[:min(len(name), link.NameMax)]
	if !taken(name) {
		return name
	}
	sum := fmt.Sprintf("%06x", crc32.ChecksumIEEE([]byte(device))&0xffffff)
	return name[:min(len(name), link.NameMax-len(sum))] + sum
}

// Alias is the interface alias (IFLA_IFALIAS) that marks device's IFB as ours.
func Alias(device string) string { return aliasPrefix + device }

// Owner is the device whose IFB carries that alias; ok is false for an alias
// that is not ours.
func Owner(alias string) (device string, ok bool) {
	return strings.CutPrefix(alias, aliasPrefix)
}

// Pref is the preference of the redirect where no other filter is attached, the
// one that sqm-scripts uses.
const Pref = 10

// Redirect is the filter that steals every packet arriving on ifindex and sends
// it out of the IFB to. It is matchall without a class id: a class id would make
// cake's host isolation blind.
func Redirect(ifindex int, pref uint16, to int) tc.Filter {
	return tc.Filter{
		Ifindex: ifindex, Parent: tc.IngressHook, Pref: pref, Protocol: tc.ProtocolAll,
		Kind: "matchall", Options: &tc.Matchall{Actions: tc.Actions{tc.RedirectTo(to)}},
	}
}

// FreePref is the preference for a redirect among the filters that are there:
// behind the last of them, because no filter behind a redirect sees a packet. It
// is 0 when there is no room.
func FreePref(others []tc.Filter) uint16 {
	pref := uint16(Pref)
	for _, f := range others {
		if f.Pref == 0xffff {
			return 0
		}
		pref = max(pref, f.Pref+1)
	}
	return pref
}

// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"cmp"
	"maps"
	"slices"
)

// Link is a network device as the watcher sees it.
type Link struct {
	Index int
	Name  string
	Kind  string // IFLA_INFO_KIND: "bridge", "vlan", "ifb", ...; "" for hardware
	// Alias is IFLA_IFALIAS, "" for none. The kernel does not notify of one that is
	// set while the link is switched off: it is told with the next change.
	Alias string
	MTU   int // bytes
	// Master is the index of the bridge, bond or VRF that the link is a port of, 0
	// for none.
	Master  int
	Up      bool // switched on (IFF_UP)
	Carrier bool // switched on and with a carrier (IFF_LOWER_UP)
	// OperState is the operational state of RFC 2863, spelt as in sysfs: unknown,
	// notpresent, down, lowerlayerdown, testing, dormant or up.
	OperState string
	// CarrierUps and CarrierDowns count the times the carrier came and went
	// (IFLA_CARRIER_UP_COUNT, IFLA_CARRIER_DOWN_COUNT): a flap too short for a
	// notification of its own is seen in them. 0 where the kernel does not tell
	// (before 4.16).
	CarrierUps, CarrierDowns uint32
	// SpeedMbit is the negotiated speed in Mbit/s, 0 when unknown. It is read when
	// the link appears, when its carrier comes and when its operational state or
	// its name changes.
	SpeedMbit int
}

// Table holds the links that were told of. The zero value is an empty table. It
// is not safe for concurrent use: a consumer keeps its own, from its events.
type Table struct {
	links map[int]Link
}

// Apply brings the table up to the event.
func (t *Table) Apply(e Event) {
	switch e.Kind {
	case LinkAppeared, LinkChanged:
		if t.links == nil {
			t.links = map[int]Link{}
		}
		t.links[e.Link.Index] = e.Link
	case LinkGone:
		delete(t.links, e.Before.Index)
	}
}

// ByIndex finds a link by its index.
func (t *Table) ByIndex(index int) (Link, bool) {
	l, ok := t.links[index]
	return l, ok
}

// ByName finds a link by its name. While links exchange names two can have the
// same one for a few events; the younger one (with the higher index) is found.
func (t *Table) ByName(name string) (Link, bool) {
	var found Link
	for _, l := range t.links {
		if l.Name == name && l.Index > found.Index {
			found = l
		}
	}
	return found, found.Index > 0
}

// Links lists the links in the order of their indices.
func (t *Table) Links() []Link {
	return sortedByIndex(slices.Collect(maps.Values(t.links)))
}

func sortedByIndex(links []Link) []Link {
	slices.SortFunc(links, func(a, b Link) int { return cmp.Compare(a.Index, b.Index) })
	return links
}

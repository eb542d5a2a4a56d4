// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"cmp"
	"maps"
	"slices"

	"sqmd/link"
)

// Link is a network device. SpeedMbit is read when the link appears, when its
// carrier comes and when its operational state or its name changes.
type Link = link.Link

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

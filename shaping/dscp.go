// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

// tier is a class of the simple recipe.
type tier int

const (
	priority tier = iota
	bestEffort
	background
)

// tierOfDSCP is the one table of codepoints that leave best effort, for both IP
// versions. The names are those of RFC 2474, 2597, 3246 and RFC 1349 (DSCP 4 is
// its "minimize delay"). The directions differ only where sqm-scripts makes them
// differ, so that nothing changes for who comes from it: leaving packets it
// matches with a mask that lets two more codepoints through as minimize delay,
// and it knows CS7 only on arrival.
var tierOfDSCP = []struct {
	dscp             uint8
	upload, download tier
}{
	{4, priority, priority},     // TOS minimize-delay, set by ssh
	{8, background, background}, // CS1
	{20, priority, bestEffort},  // AF22
	{36, priority, priority},    // AF42
	{46, priority, priority},    // EF
	{48, priority, priority},    // CS6
	{52, priority, bestEffort},  // unassigned
	{56, bestEffort, priority},  // CS7
}

// dscpTier is a codepoint and where it goes.
type dscpTier struct {
	dscp uint8
	tier tier
}

// tiers are the codepoints that leave best effort in one direction.
func (d Direction) tiers() []dscpTier {
	var list []dscpTier
	for _, e := range tierOfDSCP {
		t := e.upload
		if d == Download {
			t = e.download
		}
		if t != bestEffort {
			list = append(list, dscpTier{e.dscp, t})
		}
	}
	return list
}

// priorityPorts are UDP services that everything else waits for: DNS and NTP.
// Traffic control cannot tell the router's own packets from those of the hosts
// behind its NAT, so that the hosts' are counted in.
var priorityPorts = []uint16{53, 123}

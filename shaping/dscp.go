// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

// tier is a class of the simple recipe.
type tier int

const (
	priority tier = iota
	bestEffort
	background
)

// tierOfDSCP is the one table of codepoints that leave best effort, for both
// directions and both IP versions. The names are those of RFC 2474, 2597, 3246
// and RFC 1349 (DSCP 4 is its "minimize delay").
var tierOfDSCP = []struct {
	dscp uint8
	tier tier
}{
	{8, background}, // CS1
	{4, priority},   // TOS minimize-delay, still set by ssh
	{36, priority},  // AF42
	{46, priority},  // EF
	{48, priority},  // CS6
	{56, priority},  // CS7
}

// priorityPorts are UDP services that everything else waits for: DNS and NTP.
var priorityPorts = []uint16{53, 123}

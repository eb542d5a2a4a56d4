// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"fmt"
	"slices"
	"strings"

	"sqmd/release/apk/adb"
)

// Match says which versions satisfy a dependency: the sum of its bits.
type Match uint8

const (
	// MatchEqual, MatchLess and MatchGreater accept a version that is the same, older or newer.
	MatchEqual   Match = 1
	MatchLess    Match = 2
	MatchGreater Match = 4
	// MatchAny is that of a name without a version.
	MatchAny = MatchEqual | MatchLess | MatchGreater
	// MatchFuzzy accepts a version that begins like the one given.
	MatchFuzzy Match = 8
	// MatchConflict turns a dependency round: what it matches must not be installed.
	MatchConflict Match = 16
)

// Dependency is a package that another one needs, excludes or stands in for.
type Dependency struct {
	Name string
	// Version is empty exactly if Match is MatchAny, possibly with MatchConflict.
	Version string
	Match   Match
}

// The slots of a dependency object.
const (
	dependencyName    = 1
	dependencyVersion = 2
	dependencyMatch   = 3
)

// plain is the match that a dependency has if it does not tell.
func (d Dependency) plain() Match {
	if d.Version == "" {
		return MatchAny
	}
	return MatchEqual
}

func (d Dependency) encode(w *adb.Writer) adb.Value {
	slots := make(map[int]adb.Value)
	slots[dependencyName] = w.Text(d.Name)
	slots[dependencyVersion] = w.Text(d.Version)
	if d.Match != d.plain() {
		slots[dependencyMatch] = w.Int(uint64(d.Match))
	}
	return w.Object(slots)
}

func encodeDependencies(w *adb.Writer, list []Dependency) adb.Value {
	var values []adb.Value
	for _, d := range list {
		values = append(values, d.encode(w))
	}
	return w.Array(values)
}

func decodeDependencies(b *adb.Body, v adb.Value) []Dependency {
	var list []Dependency
	for _, v := range b.Items(v) {
		o := b.Object(v, dependencyName, dependencyVersion, dependencyMatch)
		d := Dependency{Name: b.Text(o.Slot(dependencyName)), Version: b.Text(o.Slot(dependencyVersion))}
		d.Match = d.plain()
		if v := o.Slot(dependencyMatch); v != 0 {
			match := b.Int(v)
			if match == uint64(d.Match) || match >= uint64(2*MatchConflict) {
				b.Fail(fmt.Errorf("match %d in the dependency on %q", match, d.Name))
			}
			d.Match = Match(match)
		}
		list = append(list, d)
	}
	return list
}

func checkDependencies(list []Dependency) error {
	for i, d := range list {
		bare := d.Match&^MatchConflict == MatchAny
		switch {
		case d.Name == "" || strings.ContainsAny(d.Name, " \t\n\x00!<>=~@"):
			return fmt.Errorf("invalid name %q in a dependency", d.Name)
		case bare != (d.Version == "") || d.Match&^MatchConflict == 0:
			return fmt.Errorf("dependency on %s: version %q does not go with match %d", d.Name, d.Version, d.Match)
		case !bare && !ValidVersion(d.Version):
			return fmt.Errorf("dependency on %s: invalid version %q", d.Name, d.Version)
		case i > 0 && d.Name <= list[i-1].Name:
			return fmt.Errorf("dependency on %s after %s: not in order", d.Name, list[i-1].Name)
		}
	}
	return nil
}

// dependencies makes a list of every name once, in order.
func dependencies(names []string, version string, match Match) []Dependency {
	var list []Dependency
	for _, n := range names {
		list = append(list, Dependency{n, version, match})
	}
	return ordered(list)
}

func ordered(list []Dependency) []Dependency {
	slices.SortStableFunc(list, func(a, b Dependency) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(list)
}

// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var versionForm = regexp.MustCompile(`^([0-9]+)((?:\.[0-9]+)*)([a-z]?)` +
	`((?:_(?:alpha|beta|pre|rc|cvs|svn|git|hg|p)[0-9]*)*)(?:~([0-9a-f]+))?(?:-r([0-9]+))?$`)

// ValidVersion tells whether apk accepts a version: 1.2.3, then perhaps a letter, suffixes such as _rc1, a commit such
// as ~1a2b, and a revision such as -r1.
func ValidVersion(v string) bool { return versionForm.MatchString(v) }

// CompareVersions returns -1, 0 or 1 as version a is older than b, the same, or newer. Both have to be valid.
func CompareVersions(a, b string) int {
	x, y := versionParts(a), versionParts(b)
	for i := range min(len(x), len(y)) {
		if c := x[i].compare(y[i]); c != 0 {
			return c
		}
	}
	return 0
}

// versionPart is what versions are compared by, one after the other: first by rank, then by text.
type versionPart struct {
	rank versionRank
	text string
}

// versionRank orders different continuations of the same beginning.
type versionRank int

const (
	rankBefore versionRank = iota // a suffix that makes a version older, such as _rc
	rankEnd
	rankRevision
	rankCommit
	rankSuffixNumber
	rankAfter // a suffix that makes it newer, such as _p
	rankLetter
	rankNumber
	rankFirst
)

// suffixes are the words of suffixes, older ones first. Those before firstAfter make a version older than it is without.
var suffixes = []string{"alpha", "beta", "pre", "rc", "cvs", "svn", "git", "hg", "p"}

const firstAfter = 4

func (p versionPart) compare(q versionPart) int {
	if p.rank != q.rank {
		return cmp.Compare(p.rank, q.rank)
	}
	switch p.rank {
	case rankFirst, rankSuffixNumber, rankRevision:
		return compareNumbers(p.text, q.text)
	case rankNumber:
		// With a leading zero they are digits of a fraction.
		if p.text[0] != '0' && q.text[0] != '0' {
			return compareNumbers(p.text, q.text)
		}
	}
	return strings.Compare(p.text, q.text)
}

// compareNumbers compares decimal numbers of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// versionParts takes a version apart. The last part is always the end.
func versionParts(v string) []versionPart {
	m := versionForm.FindStringSubmatch(v)
	if m == nil {
		return []versionPart{{rankEnd, ""}}
	}
	parts := []versionPart{{rankFirst, m[1]}}
	for _, number := range split(m[2], ".") {
		parts = append(parts, versionPart{rankNumber, number})
	}
	if m[3] != "" {
		parts = append(parts, versionPart{rankLetter, m[3]})
	}
	for _, suffix := range split(m[4], "_") {
		parts = append(parts, suffixParts(suffix)...)
	}
	if m[5] != "" {
		parts = append(parts, versionPart{rankCommit, m[5]})
	}
	if m[6] != "" {
		parts = append(parts, versionPart{rankRevision, m[6]})
	}
	return append(parts, versionPart{rankEnd, ""})
}

// suffixParts takes a suffix such as rc1 apart.
func suffixParts(suffix string) []versionPart {
	word := strings.TrimRight(suffix, "0123456789")
	age := slices.Index(suffixes, word)
	part := versionPart{rankAfter, string(rune('a' + age))}
	if age < firstAfter {
		part.rank = rankBefore
	}
	if number := suffix[len(word):]; number != "" {
		return []versionPart{part, {rankSuffixNumber, number}}
	}
	return []versionPart{part}
}

// split parts a list in which every item begins with a separator.
func split(list, separator string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list[len(separator):], separator)
}

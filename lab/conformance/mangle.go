// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// marked is a packet on its way through the firewall's mangle table.
type marked struct {
	Packet
	mark    uint32
	in, out string // devices
	jumps   int    // from chain to chain
}

// maxJumps bounds the jumps of one packet: the kernel has no chains that jump in a circle.
const maxJumps = 16

// traverse takes the packet through a chain: rules as iptables-save writes them, -A CHAIN [match]... -j|-g TARGET. A
// rule it cannot read is an error, so that no recorded behaviour is passed over.
func (t mangleTable) traverse(chain string, p *marked) error {
	for _, text := range t.Rules {
		words := strings.Fields(text)
		if len(words) < 2 || words[0] != "-A" {
			return fmt.Errorf("rule %q: want -A CHAIN", text)
		}
		if words[1] != chain {
			continue
		}
		ended, err := t.apply(words[2:], p)
		if err != nil {
			return fmt.Errorf("rule %q: %w", text, err)
		}
		if ended {
			return nil
		}
	}
	return nil
}

// apply carries out one rule; ended says that the chain is left.
func (t mangleTable) apply(words []string, p *marked) (ended bool, err error) {
	r := rule{words: words}
	for {
		name := r.next()
		if name == "-j" || name == "-g" {
			return t.target(&r, name, p)
		}
		matches, err := r.match(name, p)
		if err != nil || !matches {
			return false, err
		}
	}
}

func (t mangleTable) target(r *rule, jump string, p *marked) (ended bool, err error) {
	switch name := r.next(); {
	case name == "MARK" && r.next() == "--set-xmark":
		value, mask, err := r.masked()
		p.mark = p.mark&^mask ^ value
		return false, err
	case name == "DSCP" && r.next() == "--set-dscp":
		value, _, err := r.masked()
		p.DSCP = uint8(value)
		return false, err
	case jump == "-g" && p.jumps < maxJumps:
		p.jumps++
		return true, t.traverse(name, p)
	}
	return false, fmt.Errorf("unknown target")
}

// rule is what is left of a rule's words.
type rule struct {
	words []string
}

func (r *rule) next() string {
	if len(r.words) == 0 {
		return ""
	}
	word := r.words[0]
	r.words = r.words[1:]
	return word
}

// masked reads VALUE or VALUE/MASK.
func (r *rule) masked() (value, mask uint32, err error) {
	return valueAndMask(r.next(), 0)
}

// valueAndMask reads two numbers around a slash; base is that of strconv.
func valueAndMask(text string, base int) (value, mask uint32, err error) {
	valueText, maskText, found := strings.Cut(text, "/")
	number, err := strconv.ParseUint(valueText, base, 32)
	if err != nil || !found {
		return uint32(number), ^uint32(0), err
	}
	maskNumber, err := strconv.ParseUint(maskText, base, 32)
	return uint32(number), uint32(maskNumber), err
}

// match evaluates one match of a rule, which begins with the given word.
func (r *rule) match(name string, p *marked) (bool, error) {
	negated := false
	if name == "-m" {
		r.next() // the module; its option says the same
		name = r.next()
	}
	if name == "!" {
		negated = true
		name = r.next()
	}
	matches, err := r.holds(name, p)
	return matches != negated, err
}

func (r *rule) holds(name string, p *marked) (bool, error) {
	switch name {
	case "-i":
		return deviceMatches(r.next(), p.in), nil
	case "-o":
		return deviceMatches(r.next(), p.out), nil
	case "-p":
		return r.next() == "udp", nil
	case "--mark":
		value, mask, err := r.masked()
		return p.mark&mask == value, err
	case "--dscp":
		value, _, err := r.masked()
		return uint32(p.DSCP) == value, err
	case "--tos":
		value, mask, err := r.masked()
		return uint32(p.DSCP)<<2&mask == value, err
	case "--ports":
		return slices.Contains(strings.Split(r.next(), ","), strconv.Itoa(p.Port)), nil
	}
	return false, fmt.Errorf("unknown match %q", name)
}

// deviceMatches compares a device with a rule's, where a plus sign stands for any ending.
func deviceMatches(pattern, device string) bool {
	if prefix, found := strings.CutSuffix(pattern, "+"); found {
		return strings.HasPrefix(device, prefix)
	}
	return pattern == device
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Words spells the options for tc-u32(8).
func (u *U32) Words(names Names) []string {
	if u.Divisor != 0 {
		return append([]string{"divisor", numberText(u.Divisor)}, flagWords(u.Flags)...)
	}
	var out []string
	add := func(w ...string) { out = append(out, w...) }
	if u.hash() != 0 {
		add("ht", u32HandleText(u.Hash))
	}
	if u.Order != 0 {
		add("order", numberText(u.Order))
	}
	if u.Link != 0 {
		add("link", u32HandleText(u.Link))
	}
	for _, k := range u.keys() {
		add("match", "u32", hexText(k.Value&k.Mask), hexText(k.Mask), "at", k.at())
	}
	if u.Mark != nil {
		add("match", "mark", hexText(u.Mark.Value), hexText(u.Mark.Mask))
	}
	if u.Next != nil {
		add(u.Next.words()...)
	}
	if u.InDev != "" {
		add("indev", u.InDev)
	}
	add(flagWords(u.Flags)...)
	if u.ClassID != 0 {
		add("flowid", u.ClassID.String())
	}
	return append(out, u.Actions.words(names)...)
}

func (n *U32Next) words() []string {
	var out []string
	add := func(w ...string) { out = append(out, w...) }
	if n.Fixed || n.Variable || n.Eat {
		add("offset")
	}
	if n.Fixed {
		add("plus", numberText(n.Plus))
	}
	if n.Variable {
		add("at", numberText(int(n.At)), "mask", hexText(n.Mask), "shift", numberText(uint16(n.Shift)))
	}
	if n.Eat {
		add("eat")
	}
	if n.HashMask != 0 || n.HashAt != 0 {
		add("hashkey", "mask", hexText(n.HashMask), "at", numberText(int(n.HashAt)))
	}
	return out
}

// u32HandleText is the tc(8) form of a hash table, bucket and node, "800::801".
func u32HandleText(h uint32) string {
	text := fmt.Sprintf("%x:", h>>20)
	bucket, node := h&u32BucketMask>>12, h&u32NodeMask
	if bucket != 0 {
		text += fmt.Sprintf("%x", bucket)
	}
	if node != 0 {
		text += fmt.Sprintf(":%x", node)
	}
	return text
}

// handleText is the filter's handle for tc-u32(8).
func (u *U32) handleText(h uint32) string { return u32HandleText(h) }

// parseU32Handle reads table:[bucket[:node]], all hexadecimal, or a number with
// 0x.
func parseU32Handle(s string) (uint32, error) {
	if strings.HasPrefix(s, "0x") {
		return parseHex32(s)
	}
	bad := fmt.Errorf("%q is not a handle: table:bucket:node, hexadecimal", s)
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 || parts[0] == "" && parts[1] == "" {
		return 0, bad
	}
	var h uint32
	for i, field := range []struct{ bits, shift int }{{12, 20}, {8, 12}, {12, 0}}[:len(parts)] {
		if parts[i] == "" {
			continue
		}
		n, err := strconv.ParseUint(parts[i], 16, field.bits)
		if err != nil {
			return 0, bad
		}
		h |= uint32(n) << field.shift
	}
	return h, nil
}

// parseHex32 reads a hexadecimal number with or without 0x.
func parseHex32(s string) (uint32, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X"), 16, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a hexadecimal number of 32 bits", s)
	}
	return uint32(n), nil
}

func (u *U32) parse(w *words) error {
	start := w.at
	t := filterTable(wordTable{
		"match":   u.parseMatch,
		"indev":   to(&u.InDev, anyText),
		"link":    to(&u.Link, parseU32Handle),
		"order":   to(&u.Order, parseOrder),
		"divisor": to(&u.Divisor, parseDivisor),
		"offset":  u.parseOffset,
		"hashkey": u.parseHashKey,
		"ht": func(w *words) error {
			h, err := take(w, parseU32Handle)
			u.Hash = h &^ u32NodeMask
			return err
		},
	}, &u.ClassID, &u.Actions, &u.Flags)
	if err := t.parse(w); err != nil {
		return err
	}
	if u.Divisor == 0 && len(u.Keys) == 0 && u.Mark == nil && w.at > start {
		return errors.New(`needs "match" with something to match; all packets are "match u32 0 0"`)
	}
	u.Terminal = u.terminal()
	return nil
}

func parseOrder(s string) (uint16, error) {
	n, err := parseU32(s)
	if err != nil || n == 0 || n > u32NodeMask {
		return 0, fmt.Errorf("%q is not a number from 1 to 4095", s)
	}
	return uint16(n), nil
}

func parseDivisor(s string) (uint32, error) {
	n, err := parseU32(s)
	if err != nil || n == 0 || n > 256 || n&(n-1) != 0 {
		return 0, fmt.Errorf("%q is not a power of 2 from 1 to 256", s)
	}
	return n, nil
}

// next makes the part that linked tables need.
func (u *U32) next() *U32Next {
	if u.Next == nil {
		u.Next = &U32Next{}
	}
	return u.Next
}

func (u *U32) parseOffset(w *words) error {
	n := u.next()
	return wordTable{
		"plus": func(w *words) error {
			plus, err := take(w, parseU16)
			n.Plus, n.Fixed = plus, true
			return err
		},
		"at": func(w *words) error {
			at, err := take(w, parseWithin(-1<<15, 1<<15-1))
			n.At, n.Variable = int16(at), true
			if err == nil && at%2 != 0 {
				return errors.New(`offset "at" must be even`)
			}
			return err
		},
		"mask": func(w *words) error {
			mask, err := take(w, parseHex32)
			n.Mask, n.Variable = uint16(mask), true
			if err == nil && mask > 0xffff {
				return errors.New("offset mask has more than 16 bits")
			}
			return err
		},
		"shift": func(w *words) error {
			shift, err := take(w, parseWithin(0, 15))
			n.Shift, n.Variable = uint8(shift), true
			return err
		},
		"eat": flag(&n.Eat),
	}.parse(w)
}

func (u *U32) parseHashKey(w *words) error {
	n := u.next()
	return wordTable{
		"mask": to(&n.HashMask, parseHex32),
		"at": func(w *words) error {
			at, err := take(w, parseWithin(-1<<15, 1<<15-4))
			n.HashAt = int16(at)
			if err == nil && at%4 != 0 {
				return errors.New(`hashkey "at" must be a multiple of 4`)
			}
			return err
		},
	}.parse(w)
}

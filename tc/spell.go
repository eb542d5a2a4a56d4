// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Helpers to spell options as tc(8) words.

// listWord is the word with that number, "" for nil or an unknown number.
func listWord(list []string, n *uint32) string {
	if n == nil || int(*n) >= len(list) {
		return ""
	}
	return list[*n]
}

// flagWord is one of two words, "" for nil.
func flagWord(flag *uint32, on, off string) string {
	switch {
	case flag == nil:
		return ""
	case *flag != 0:
		return on
	}
	return off
}

func withoutEmpty(list []string) []string {
	kept := list[:0]
	for _, w := range list {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return kept
}

// bitsFromBytes turns a kernel rate in byte/s into bit/s, stopping at the top.
func bitsFromBytes(n uint64) uint64 {
	if n > 1<<61-1 {
		return 1<<64 - 8
	}
	return n * 8
}

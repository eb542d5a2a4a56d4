// SPDX-License-Identifier: GPL-2.0-or-later

package uci

// maxEdits is how far from a known word a misspelling of it may be.
const maxEdits = 2

// nearest gives the known word that s is most likely a misspelling of, or ""
// where none is near: at most maxEdits, and fewer than half of the word.
func nearest(s string, known []string) string {
	best, bestDistance := "", maxEdits+1
	for _, k := range known {
		if len(s) > len(k)+maxEdits || len(k) > len(s)+maxEdits {
			continue
		}
		if d := editDistance(s, k); d < bestDistance && 2*d < len(k) {
			best, bestDistance = k, d
		}
	}
	return best
}

// editDistance counts the bytes to insert, delete or replace to get from a to b
// (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := diagonal
			if a[i-1] != b[j-1] {
				replace++
			}
			diagonal = row[j]
			row[j] = min(replace, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

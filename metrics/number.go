// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"fmt"
	"strings"
)

// whole is a number as it is.
func whole[N int | int64 | uint32 | uint64](n N) []sample {
	return []sample{{value: fmt.Sprint(n)}}
}

func boolean(set bool) []sample {
	if set {
		return whole(1)
	}
	return whole(0)
}

// kilo is n thousands; 0 stands for not known or no limit, and has no sample.
// Written as digits, because 1000*n may not fit.
func kilo[N int | uint64](n N) []sample {
	if n <= 0 {
		return nil
	}
	return []sample{{value: fmt.Sprint(n) + "000"}}
}

// seconds writes microseconds as seconds, by integers: the routers have no
// floating point unit.
func seconds(us uint32) string {
	s := fmt.Sprintf("%d.%06d", us/1e6, us%1e6)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"strings"
	"testing"
)

// What follows was asked of apk 3.0.6 with "apk version --check" and "apk version -t".

func TestValidVersion(t *testing.T) {
	valid := "1 1.2 1.2.3-r1 1.2.0_beta1-r1 1.2-r01 01.2 1.02 1.2a_p1 1.2~abcdef 1.2_rc-r1 1.2_p1_p2 1.2~ab-r1 99999999999999999999.1"
	for _, v := range strings.Fields(valid) {
		if !ValidVersion(v) {
			t.Errorf("%q is refused", v)
		}
	}
	invalid := "1.0_ 1.2-r 1.2ab 1.2~ABC 1.2~ 1.2-beta1 1. 1.2-r1~ab 1.2~ab1_p a 1.2a.3 1.2+git 1:1.2 v1.2 1.2-r1-r2 1_rc1_x"
	for _, v := range append(strings.Fields(invalid), "", "1 ", "1\n") {
		if ValidVersion(v) {
			t.Errorf("%q is accepted", v)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	tests := strings.Split(`1.2 < 1.10
1.02 < 1.1
1.0 > 1
1.01 > 1.001
1.1 < 1.1.0
1a > 1
1a < 1.1
1a < 1b
1_alpha < 1
1_p > 1
1_cvs > 1
1_p1 > 1_p
1_p1 = 1_p01
1-r0 > 1
1~ab > 1
1~abc < 1~ac
1~0 < 1~00
1_git < 1_p
1_svn < 1_git
1_hg > 1_git
1_rc > 1_pre
1_rc < 1_cvs
1_rc_p > 1_rc1
1_rc0 > 1_rc_alpha
1_rc0 > 1_rc
1_rc0 > 1_rc-r1
1_rc0~a > 1_rc~a
1_rc1~ab < 1_rc1_p
1_rc1~ab > 1_rc1-r1
1_alpha_p > 1_alpha
1_alpha_beta < 1_alpha
1_alpha~a < 1
1_alpha-r1 < 1
1_p_alpha < 1_p
1_p1 < 1_p_p
1_p-r1 < 1_p0
01 = 1
1.10 > 1.1
1.010 > 1.01
1.010 < 1.0100
1.0 < 1.00
1.00 < 1.01
1.1.0 > 1.01
1_p1 > 1-r1
1~ab > 1-r1
1~ab < 1_p
1.0.1 > 1a
1-r01 = 1-r1
1-r10 > 1-r2
1.0a < 1.0.1
99999999999999999999 > 1`, "\n")
	for _, test := range tests {
		f := strings.Fields(test)
		want := map[string]int{"<": -1, "=": 0, ">": 1}[f[1]]
		if got := CompareVersions(f[0], f[2]); got != want {
			t.Errorf("%s: got %d", test, got)
		}
		if got := CompareVersions(f[2], f[0]); got != -want {
			t.Errorf("%s, the other way: got %d", test, got)
		}
	}
}

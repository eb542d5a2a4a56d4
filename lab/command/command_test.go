// SPDX-License-Identifier: GPL-2.0-or-later

package command

import (
	"errors"
	"fmt"
	"testing"
)

func TestStatus(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{Exit(0), 0},
		{fmt.Errorf("guest: %w", Exit(3)), 3},
		{ErrUsage, StatusUsage},
		{errors.New("no kernel"), StatusLab},
		{Outcome(0, nil), 0},
		{Outcome(7, nil), 7},
		{Outcome(7, errors.New("guest panicked")), StatusLab},
	} {
		if got := Status("test", test.err); got != test.want {
			t.Errorf("%v: exit code %d, want %d", test.err, got, test.want)
		}
	}
}

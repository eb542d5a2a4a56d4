// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestCourierWritesAllInOrder(t *testing.T) {
	var out strings.Builder
	c := newCourier(&out)
	want := ""
	for i := range courierLines {
		line := fmt.Sprintf("line %d\n", i)
		want += line
		fmt.Fprint(c, line)
	}
	c.finish()
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// A reader that has gone to sleep holds up nobody.
func TestCourierDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	c := newCourier(w)
	for range 10 * courierLines {
		fmt.Fprintln(c, "a line")
	}
	c.finish()
}

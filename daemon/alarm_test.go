// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"context"
	"testing"
	"time"
)

func TestAlarm(t *testing.T) {
	a, err := newAlarm()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- a.run(ctx) }()
	for _, d := range []time.Duration{-time.Hour, 0, 1, time.Millisecond, 30 * time.Millisecond} {
		start := time.Now()
		if err := a.set(d); err != nil {
			t.Fatal(err)
		}
		<-a.rings
		if took := time.Since(start); took < d {
			t.Errorf("set to %v, it rang after %v", d, took)
		}
	}
	// The last setting counts, and it rings once.
	for _, d := range []time.Duration{time.Hour, 10 * time.Millisecond, time.Hour, 20 * time.Millisecond} {
		if err := a.set(d); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	<-a.rings
	if took := time.Since(start); took < 19*time.Millisecond {
		t.Errorf("it rang after %v", took)
	}
	select {
	case <-a.rings:
		t.Error("it rang twice")
	case <-time.After(50 * time.Millisecond):
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := a.set(1); err == nil {
		t.Error("an alarm that has ended can be set")
	}
}

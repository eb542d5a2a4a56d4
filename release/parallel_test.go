// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"errors"
	"sync/atomic"
	"testing"
)

func TestParallel(t *testing.T) {
	var sum atomic.Int64
	if err := parallel(100, func(i int) error { sum.Add(int64(i)); return nil }); err != nil || sum.Load() != 4950 {
		t.Errorf("error %v, sum %d; want none and 4950", err, sum.Load())
	}
	if err := parallel(0, func(int) error { return errors.New("called") }); err != nil {
		t.Error(err)
	}
}

func TestParallelError(t *testing.T) {
	failure := errors.New("failure")
	err := parallel(3, func(i int) error {
		if i == 1 {
			return failure
		}
		return nil
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v; want %v", err, failure)
	}
}

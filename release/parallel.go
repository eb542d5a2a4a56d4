// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls do for 0 to n-1, on as many goroutines as there are cores. After an error it begins nothing more; it
// returns the errors of all that had begun.
func parallel(n int, do func(i int) error) error {
	var (
		next    atomic.Int64
		failed  atomic.Bool
		workers sync.WaitGroup
		errs    = make([]error, n)
	)
	for range min(n, runtime.NumCPU()) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= n || failed.Load() {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		}()
	}
	workers.Wait()
	return errors.Join(errs...)
}

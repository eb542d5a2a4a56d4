// SPDX-License-Identifier: GPL-2.0-or-later

package wire

import (
	"encoding/json"
	"io"
	"sync"
)

// Serve reads calls from one stream until it ends, and writes the answers to another. Each call is answered in a
// goroutine of its own; Serve returns when all are.
func Serve(from io.Reader, to io.Writer, answer func(Call) Answer) error {
	var writing sync.Mutex
	var all sync.WaitGroup
	defer all.Wait()
	return readLines(from, func(line []byte) {
		var r request
		if json.Unmarshal(line, &r) != nil {
			return // noise of a line that is just being opened
		}
		all.Add(1)
		go func() {
			defer all.Done()
			result := response{r.ID, answer(r.Call)}
			writing.Lock()
			defer writing.Unlock()
			_ = writeLine(to, result) // who does not read it is gone
		}()
	})
}

// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// ctrlC is what that key sends to a terminal without ISIG.
const ctrlC = 3

// quitKey waits for a key that quits, in a goroutine of its own, and closes the
// channel then, or when the terminal is gone. stop ends the wait. A read of a
// terminal cannot be interrupted, hence poll, with a pipe to end it.
func quitKey(in *os.File) (quit <-chan struct{}, stop func(), err error) {
	wake, waker, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("wait for keys: %w", err)
	}
	pressed := make(chan struct{})
	keys, ended := int(in.Fd()), int(wake.Fd())
	var reader sync.WaitGroup
	reader.Add(1)
	go func() {
		defer reader.Done()
		if awaitQuit(keys, ended) {
			close(pressed)
		}
	}()
	return pressed, func() { waker.Close(); reader.Wait(); wake.Close() }, nil
}

// awaitQuit reports whether it was a key, or the end of the terminal, rather than
// wake that ended the wait.
func awaitQuit(in, wake int) bool {
	keys := make([]byte, 64)
	for {
		fds := []unix.PollFd{{Fd: int32(in), Events: unix.POLLIN}, {Fd: int32(wake), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, -1)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return true
		case fds[1].Revents != 0:
			return false
		}
		n, err := unix.Read(in, keys)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if err != nil || n == 0 || quits(keys[:n]) {
			return true
		}
	}
}

func quits(keys []byte) bool {
	for _, k := range keys {
		if k == 'q' || k == 'Q' || k == ctrlC {
			return true
		}
	}
	return false
}

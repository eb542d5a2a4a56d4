// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrNoBus says that no ubusd listens: this is not OpenWrt, or ubusd is down.
var ErrNoBus = errors.New("ubusd is not running")

// socketPaths are where ubusd listens: since OpenWrt 21.02, and before.
func socketPaths() []string {
	return []string{"/var/run/ubus/ubus.sock", "/var/run/ubus.sock"}
}

// fullBacklogDelay is the pause before asking again a ubusd that has more
// connections waiting than it listens for.
const fullBacklogDelay = 20 * time.Millisecond

// openSocket connects to the first of paths at which ubusd listens.
func openSocket(ctx context.Context, paths []string) (*os.File, error) {
	for _, path := range paths {
		sock, err := connect(ctx, path)
		switch {
		case err == nil:
			return sock, nil
		case !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ECONNREFUSED):
			return nil, fmt.Errorf("connect to %s: %w", path, err)
		}
	}
	return nil, fmt.Errorf("connect to %s: %w", paths[0], ErrNoBus)
}

// connect opens a non-blocking stream socket, which the Go runtime polls, so
// that deadlines work without package net.
func connect(ctx context.Context, path string) (*os.File, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		if err != syscall.EAGAIN && err != syscall.EINTR {
			break
		}
		if err = pause(ctx, fullBacklogDelay); err != nil {
			break
		}
	}
	if err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// pause waits for d, or returns the error of a context that ends earlier.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

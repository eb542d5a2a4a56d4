// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"sqmd/control"
	"sqmd/daemon"
)

// daemonPatience bounds a question to the daemon, which may be at work.
const daemonPatience = 10 * time.Second

func (in *invocation) socket() string { return filepath.Join(in.records.Dir, daemon.SocketName) }

// daemonRuns reports whether a daemon answers.
func (in *invocation) daemonRuns() bool {
	ctx, cancel := context.WithTimeout(context.Background(), daemonPatience)
	defer cancel()
	client, err := control.Dial(ctx, in.socket())
	if err != nil {
		return false
	}
	client.Close()
	return true
}

// ask asks the daemon; answered is false when none runs, when it may not be
// asked, or when it works on another file than the one in question.
func (in *invocation) ask(method string, args, reply any) (answered bool, err error) {
	if in.otherFile {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), daemonPatience)
	defer cancel()
	err = control.Call(ctx, in.socket(), method, args, reply)
	switch {
	case errors.Is(err, control.ErrNoDaemon), errors.Is(err, fs.ErrPermission):
		return false, nil
	case err != nil:
		return true, fmt.Errorf("ask the daemon: %w", err)
	}
	return true, nil
}

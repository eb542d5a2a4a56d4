// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"sqmd/lab/malta/wire"
	"sqmd/lab/payload"
)

// runCommand runs the command with its output going to the host, and ends with it whatever it left running.
func runCommand(spec *wire.Spec, host *wire.Sender) (exitCode int, err error) {
	var files [3]*os.File
	if files[0], err = os.Open(os.DevNull); err != nil {
		return 0, err
	}
	var forwarding sync.WaitGroup
	for i, kind := range map[int]wire.Kind{1: wire.Stdout, 2: wire.Stderr} {
		var output *os.File
		if output, files[i], err = os.Pipe(); err != nil {
			return 0, fmt.Errorf("make pipe for the command's output: %w", err)
		}
		forwarding.Add(1)
		go func() {
			defer forwarding.Done()
			forward(host, kind, output)
		}()
	}
	environment := append(payload.Environment(guestPath), spec.Env...)
	exitCode, err = payload.Run(spec.Command, spec.Dir, environment, files, false)
	for _, file := range files {
		file.Close()
	}
	_ = unix.Kill(-1, unix.SIGKILL)
	forwarding.Wait()
	return exitCode, err
}

// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab/conformance"
)

// Words by which this program calls itself.
const (
	insideGuest = "inside-guest" // SQMD DIR...: every case, one after the other
	singleCase  = "single-case"  // SQMD DIR: one case, in namespaces of its own
)

// privateSQMD is where the program under test lies in the guest, in memory: a case hides /tmp, where it may come from.
const privateSQMD = "/run/sqmconform/sqmd"

// singleTimeout bounds one case.
const singleTimeout = 5 * time.Minute

// runInGuest observes the cases and prints each observation as a line of JSON.
func runInGuest(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("%s: want SQMD and directories", insideGuest)
	}
	if err := copyProgram(args[0], privateSQMD); err != nil {
		return err
	}
	for _, dir := range args[1:] {
		line, err := observeApart(ctx, dir)
		if err != nil {
			o := conformance.Observation{Case: filepath.Base(dir), Error: err.Error()}
			if line, err = json.Marshal(o); err != nil {
				return err
			}
		}
		if _, err := os.Stdout.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func copyProgram(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("read sqmd: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, program, 0o755)
}

// observeApart observes a case in a process with fresh network and mount namespaces, which end with it.
func observeApart(ctx context.Context, dir string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, singleTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, "/proc/self/exe", singleCase, privateSQMD, dir)
	command.SysProcAttr = &unix.SysProcAttr{Unshareflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	line, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return bytes.TrimSpace(line), nil
}

// observeCase is the part of the process made by observeApart.
func observeCase(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%s: want SQMD and a directory", singleCase)
	}
	o, err := conformance.Observe(ctx, args[0], args[1])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}

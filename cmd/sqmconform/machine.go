// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"sqmd/lab"
	"sqmd/lab/malta"
)

// machine is a kind of guest that cases can be observed in.
type machine struct {
	name string
	// observe boots a guest that writes one observation a line, in the order of the cases.
	observe func(ctx context.Context, cases []loaded, to io.Writer) error
}

// programs is where the programs for the guests are: sqmd and this one for the host's processor, and those for others in
// a directory with the name of the Go architecture.
type programs struct {
	dir  string
	sqmd string // for the host's processor
}

// machines makes a machine of each name in a list.
func (p programs) machines(names string) ([]machine, error) {
	var machines []machine
	for _, name := range strings.Split(names, ",") {
		observe, known := map[string]func(context.Context, []loaded, io.Writer) error{
			"uml":      p.observeUML,
			"malta-le": p.observeMalta(malta.Little),
			"malta-be": p.observeMalta(malta.Big),
		}[name]
		if !known {
			return nil, fmt.Errorf("there is no guest %q: want uml, malta-le or malta-be", name)
		}
		machines = append(machines, machine{name, observe})
	}
	return machines, nil
}

// A guest may take bootTime and for every case caseTime, several times what they need on a busy machine.
const (
	bootTime = 2 * time.Minute
	caseTime = time.Minute
)

func patience(cases []loaded) time.Duration {
	return bootTime + time.Duration(len(cases))*caseTime
}

// observeUML uses user-mode Linux, which sees the host's files.
func (p programs) observeUML(ctx context.Context, cases []loaded, to io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own executable: %w", err)
	}
	sqmd, err := filepath.Abs(p.sqmd)
	if err != nil {
		return err
	}
	if _, err := os.Stat(sqmd); err != nil {
		return fmt.Errorf("find sqmd: %w", err)
	}
	command := []string{self, insideGuest, sqmd}
	for _, c := range cases {
		command = append(command, c.dir)
	}
	guest, err := lab.Run(ctx, lab.Guest{
		Command: command,
		Dir:     "/",
		Timeout: patience(cases),
		Stdout:  to,
		Stderr:  os.Stderr,
	})
	return ended(guest.ExitCode, err)
}

// Where a malta guest finds the cases and programs. The latter are in its memory: they are started for every case.
const (
	maltaCases   = "/cases"
	maltaObserve = "/bin/sqmconform"
	maltaSQMD    = "/usr/sbin/sqmd"
)

// observeMalta uses an emulated MIPS 74Kc of a byte order.
func (p programs) observeMalta(order malta.Endian) func(context.Context, []loaded, io.Writer) error {
	return func(ctx context.Context, cases []loaded, to io.Writer) error {
		dir := filepath.Join(p.dir, order.GoArch())
		lines := onceMore{to: to}
		g := malta.Guest{
			Endian:  order,
			Command: []string{maltaObserve, insideGuest, maltaSQMD},
			Files: []malta.File{
				{Path: maltaObserve, Source: filepath.Join(dir, "sqmconform")},
				{Path: maltaSQMD, Source: filepath.Join(dir, "sqmd")},
			},
			Timeout: patience(cases),
			Stdout:  &lines,
			Stderr:  os.Stderr,
			Again: func() {
				fmt.Fprintf(os.Stderr, "%s: QEMU hangs; all cases once more\n", order.Name())
				lines.again()
			},
		}
		for _, c := range cases {
			at := path.Join(maltaCases, c.Name)
			files, err := malta.FilesIn(c.dir, at)
			if err != nil {
				return err
			}
			g.Files = append(g.Files, files...)
			g.Command = append(g.Command, at)
		}
		guest, err := malta.Run(ctx, g)
		return ended(guest.ExitCode, err)
	}
}

// onceMore passes whole lines on, each once, from someone who begins to say the same again and again.
type onceMore struct {
	to     io.Writer
	passed int // lines
	said   int // lines, since the last beginning
	rest   []byte
}

func (o *onceMore) Write(data []byte) (int, error) {
	o.rest = append(o.rest, data...)
	for {
		end := bytes.IndexByte(o.rest, '\n') + 1
		if end == 0 {
			return len(data), nil
		}
		if o.said++; o.said > o.passed {
			o.passed++
			if _, err := o.to.Write(o.rest[:end]); err != nil {
				return 0, err
			}
		}
		o.rest = o.rest[end:]
	}
}

// again is for the next beginning.
func (o *onceMore) again() { o.said, o.rest = 0, nil }

// ended is how a guest's command ended, as an error.
func ended(exitCode int, err error) error {
	if err == nil && exitCode != 0 {
		return fmt.Errorf("exit status %d in the guest", exitCode)
	}
	return err
}

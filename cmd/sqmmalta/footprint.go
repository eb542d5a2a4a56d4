// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sqmd/lab/command"
	"sqmd/lab/malta"
	"sqmd/lab/malta/footprint"
)

// footprintInside is the hidden command that measures when in the guest.
const footprintInside = "footprint-inside"

// targets are the binaries that are looked at, by their names in scripts/size.
var targets = []string{"mips", "mipsle", "arm5", "arm7", "arm64", "amd64"}

func footprintCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("sqmmalta footprint", flag.ContinueOnError)
	binaries := flags.String("binaries", "out", "directory with the binaries that scripts/size makes, sqmd-TARGET")
	version := flags.String("version", "unknown", "version of sqmd, for the report")
	target := flags.String("report", "", "file for the report")
	guests := flags.String("guests", "be,le", "byte orders to measure in")
	runs := flags.Int("runs", 15, "how often to run each command")
	idle := flags.Duration("idle", 3*time.Minute, "how long to watch the idle daemon")
	busy := flags.Duration("busy", 10*time.Minute, "how long to disturb the daemon")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	sizes, err := footprint.SizesIn(ctx, *binaries, targets)
	if err != nil {
		return err
	}
	var over []string
	for _, s := range sizes {
		over = append(over, s.Exceeded()...)
	}
	var orders []malta.Endian
	for _, order := range strings.Split(*guests, ",") {
		orders = append(orders, malta.Endian(order))
	}
	inside := []string{"--runs", fmt.Sprint(*runs), "--idle", idle.String(), "--busy", busy.String()}
	columns, err := measureAll(ctx, orders, *binaries, inside, 4*(*idle+*busy)+20*time.Minute)
	if err != nil {
		return err
	}
	for i, c := range columns {
		// Debian has the little-endian kernel; the big-endian one is built with what a router needs.
		for _, line := range c.Exceeded(orders[i] == malta.Big) {
			over = append(over, c.Name+": "+line)
		}
	}
	report := footprint.Report(*version, sizes, columns)
	fmt.Print(report)
	if *target != "" {
		if err := os.WriteFile(*target, []byte(report), 0o644); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	// A person judges: what is measured is the machine's, too.
	for _, line := range over {
		fmt.Fprintln(os.Stderr, "over the budget:", line)
	}
	return nil
}

// measureAll measures in guests of several byte orders at the same time: they do not notice.
func measureAll(ctx context.Context, orders []malta.Endian, binaries string, inside []string, timeout time.Duration) ([]footprint.Column, error) {
	columns, errs := make([]footprint.Column, len(orders)), make([]error, len(orders))
	var measuring sync.WaitGroup
	for i, order := range orders {
		measuring.Add(1)
		go func() {
			defer measuring.Done()
			columns[i].Name = order.Name()
			columns[i].Running, errs[i] = measure(ctx, order, binaries, inside, timeout)
		}()
	}
	measuring.Wait()
	return columns, errors.Join(errs...)
}

// measure runs this program's hidden command in a guest.
func measure(ctx context.Context, e malta.Endian, binaries string, args []string, timeout time.Duration) (r footprint.Running, err error) {
	work, err := os.MkdirTemp("", "sqmmalta-footprint-")
	if err != nil {
		return r, fmt.Errorf("make directory for a program: %w", err)
	}
	defer os.RemoveAll(work)
	self := filepath.Join(work, "sqmmalta")
	if err := malta.Build(ctx, e, "sqmd/cmd/sqmmalta", self); err != nil {
		return r, err
	}
	const program = "/usr/sbin/sqmd"
	var output bytes.Buffer
	result, err := malta.Run(ctx, malta.Guest{
		Endian: e, Bare: true, InstructionNs: footprint.InstructionNs, Timeout: timeout, Stdout: &output, Stderr: os.Stderr,
		Again: func() {
			fmt.Fprintln(os.Stderr, hung)
			output.Reset()
		},
		Files:   []malta.File{{Path: "/sqmmalta", Source: self}, {Path: program, Source: filepath.Join(binaries, "sqmd-"+e.GoArch())}},
		Command: append([]string{"/sqmmalta", footprintInside, "--program", program}, args...),
	})
	if err != nil {
		return r, err
	}
	if result.ExitCode != 0 {
		return r, fmt.Errorf("measuring ended with exit code %d", result.ExitCode)
	}
	if err := json.Unmarshal(output.Bytes(), &r); err != nil {
		return r, fmt.Errorf("read measurements: %w", err)
	}
	return r, nil
}

// footprintInsideCommand measures in the guest.
func footprintInsideCommand(_ context.Context, args []string) error {
	p := footprint.Plan{Log: os.Stderr}
	flags := flag.NewFlagSet("sqmmalta "+footprintInside, flag.ContinueOnError)
	flags.StringVar(&p.Program, "program", "", "sqmd")
	flags.IntVar(&p.Runs, "runs", 0, "")
	flags.DurationVar(&p.Idle, "idle", 0, "")
	flags.DurationVar(&p.Busy, "busy", 0, "")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	r, err := footprint.Measure(p)
	if err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

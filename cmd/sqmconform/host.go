// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sqmd/lab"
	"sqmd/lab/conformance"
)

// A guest may take bootTime and for every case caseTime, several times what they need on a busy machine.
const (
	bootTime = 2 * time.Minute
	caseTime = time.Minute
)

// longestObservation bounds, in bytes, what the guest says about one case.
const longestObservation = 16 << 20

// runCases runs the named cases in dir, or all, and prints the verdicts as they come.
func runCases(ctx context.Context, sqmd, dir string, names []string) (passed, failed int, err error) {
	if sqmd, err = filepath.Abs(sqmd); err != nil {
		return 0, 0, err
	}
	if _, err := os.Stat(sqmd); err != nil {
		return 0, 0, fmt.Errorf("find sqmd: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return 0, 0, err
	}
	if len(names) == 0 {
		if names, err = conformance.FindCases(dir); err != nil {
			return 0, 0, err
		}
	}
	count := func(r result) {
		if printVerdict(r) {
			passed++
		} else {
			failed++
		}
	}
	cases, broken := loadCases(dir, names)
	for _, r := range broken {
		count(r)
	}
	fmt.Fprintf(os.Stderr, "running %d cases in a guest\n", len(cases))
	for r := range observations(ctx, sqmd, cases) {
		if ctx.Err() != nil {
			break // interrupted: the remaining cases say nothing about sqmd
		}
		count(r)
	}
	return passed, failed, ctx.Err()
}

// loaded is a case with its directory.
type loaded struct {
	*conformance.Case
	dir string
}

// loadCases reads the named cases; those that cannot be read have failed.
func loadCases(dir string, names []string) (cases []loaded, broken []result) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		c, err := conformance.LoadCase(path)
		if err != nil {
			broken = append(broken, result{name, []string{"unreadable: " + err.Error()}})
			continue
		}
		cases = append(cases, loaded{c, path})
	}
	return cases, broken
}

// result is a case's name and what is wrong with what sqmd did.
type result struct {
	name        string
	differences []string
}

// observations yields the results of cases in order. When the guest ends early the remaining cases fail.
func observations(ctx context.Context, sqmd string, cases []loaded) func(yield func(result) bool) {
	return func(yield func(result) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		reader, writer := io.Pipe()
		go func() { writer.CloseWithError(runGuest(ctx, sqmd, cases, writer)) }()
		lines := bufio.NewScanner(reader)
		lines.Buffer(nil, longestObservation)
		for _, c := range cases {
			if !yield(result{c.Name, judgeLine(c.Case, lines)}) {
				break
			}
		}
		reader.Close()
	}
}

// judgeLine reads the observation of a case and judges it.
func judgeLine(c *conformance.Case, lines *bufio.Scanner) []string {
	if !lines.Scan() {
		err := lines.Err()
		if err == nil {
			err = fmt.Errorf("it ended before this case")
		}
		return []string{fmt.Sprintf("no word from the guest: %v", err)}
	}
	o := new(conformance.Observation)
	if err := json.Unmarshal(lines.Bytes(), o); err != nil || o.Case != c.Name {
		return []string{fmt.Sprintf("the guest said something else: %.200q", lines.Text())}
	}
	return conformance.Judge(c, o)
}

// runGuest boots a guest that writes one observation a line.
func runGuest(ctx context.Context, sqmd string, cases []loaded, to io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own executable: %w", err)
	}
	command := []string{self, insideGuest, sqmd}
	for _, c := range cases {
		command = append(command, c.dir)
	}
	guest, err := lab.Run(ctx, lab.Guest{
		Command: command,
		Dir:     "/",
		Timeout: bootTime + time.Duration(len(cases))*caseTime,
		Stdout:  to,
		Stderr:  os.Stderr,
	})
	if err == nil && guest.ExitCode != 0 {
		err = fmt.Errorf("exit status %d in the guest", guest.ExitCode)
	}
	return err
}

// printVerdict prints the line of a case and, indented, what else is wrong.
func printVerdict(r result) (ok bool) {
	if len(r.differences) == 0 {
		fmt.Printf("ok %s\n", r.name)
		return true
	}
	fmt.Printf("FAIL %s: ", r.name)
	for i, difference := range r.differences {
		if i > 0 {
			fmt.Print("    ")
		}
		fmt.Println(strings.ReplaceAll(difference, "\n", "\n    "))
	}
	return false
}

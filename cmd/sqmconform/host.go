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
	cases, err := loadCases(dir, names)
	if err != nil {
		return 0, 0, err
	}
	fmt.Fprintf(os.Stderr, "running %d cases in a guest\n", len(cases))
	for r := range observations(ctx, sqmd, cases) {
		if printVerdict(r.name, r.differences) {
			passed++
		} else {
			failed++
		}
	}
	return passed, failed, ctx.Err()
}

// loaded is a case with its directory.
type loaded struct {
	*conformance.Case
	dir string
}

func loadCases(dir string, names []string) ([]loaded, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if names, err = conformance.FindCases(dir); err != nil {
			return nil, err
		}
	}
	var cases []loaded
	for _, name := range names {
		path := filepath.Join(dir, name)
		c, err := conformance.LoadCase(path)
		if err != nil {
			return nil, fmt.Errorf("load case %s: %w", name, err)
		}
		cases = append(cases, loaded{c, path})
	}
	return cases, nil
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
func printVerdict(name string, differences []string) (ok bool) {
	if len(differences) == 0 {
		fmt.Printf("ok %s\n", name)
		return true
	}
	fmt.Printf("FAIL %s: %s\n", name, strings.ReplaceAll(differences[0], "\n", "\n    "))
	for _, difference := range differences[1:] {
		fmt.Printf("    %s\n", strings.ReplaceAll(difference, "\n", "\n    "))
	}
	return false
}

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

	"sqmd/lab/conformance"
)

// longestObservation bounds, in bytes, what the guest says about one case.
const longestObservation = 16 << 20

// tally counts the verdicts.
type tally struct {
	passed, failed int
}

func (t *tally) add(r result) {
	if printVerdict(r) {
		t.passed++
	} else {
		t.failed++
	}
}

// runCases runs the named cases in dir, or all, on each machine and prints the verdicts as they come. What is observed on
// the machines after the first has to be what is observed there.
func runCases(ctx context.Context, machines []machine, dir string, names []string) (t tally, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return t, err
	}
	if len(names) == 0 {
		if names, err = conformance.FindCases(dir); err != nil {
			return t, err
		}
	}
	cases, broken := loadCases(dir, names)
	for _, r := range broken {
		t.add(r)
	}
	references := map[string]result{}
	for i, m := range machines {
		fmt.Fprintf(os.Stderr, "running %d cases in a guest: %s\n", len(cases), m.name)
		started := time.Now()
		for r := range m.results(ctx, cases) {
			if ctx.Err() != nil {
				return t, ctx.Err() // interrupted: the remaining cases say nothing about sqmd
			}
			if i == 0 {
				references[r.name] = r
			} else {
				r.alike(references[r.name], machines[0].name)
			}
			if len(machines) > 1 {
				r.name = m.name + " " + r.name
			}
			t.add(r)
		}
		fmt.Fprintf(os.Stderr, "%s took %v\n", m.name, time.Since(started).Round(time.Second))
	}
	return t, nil
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
			broken = append(broken, result{name: name, differences: []string{"unreadable: " + err.Error()}})
			continue
		}
		cases = append(cases, loaded{c, path})
	}
	return cases, broken
}

// result is a case's name, what was observed, if anything, and what is wrong with what sqmd did.
type result struct {
	name        string
	observation *conformance.Observation
	differences []string
}

// alike adds what differs from what was observed on the reference machine. A case that failed there fails here too.
func (r *result) alike(reference result, on string) {
	if r.observation == nil {
		return
	}
	if reference.observation == nil {
		r.differences = append(r.differences, "nothing to compare with was observed on "+on)
		return
	}
	for _, difference := range conformance.Alike(reference.observation, r.observation) {
		r.differences = append(r.differences, "unlike "+on+": "+difference)
	}
}

// results yields the results of cases in order. When the guest ends early the remaining cases fail.
func (m machine) results(ctx context.Context, cases []loaded) func(yield func(result) bool) {
	return func(yield func(result) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		reader, writer := io.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			writer.CloseWithError(m.observe(ctx, cases, writer))
		}()
		lines := bufio.NewScanner(reader)
		lines.Buffer(nil, longestObservation)
		for _, c := range cases {
			if !yield(judgeLine(c.Case, lines)) {
				break
			}
		}
		reader.Close()
		cancel()
		<-ended
	}
}

// judgeLine reads the observation of a case and judges it.
func judgeLine(c *conformance.Case, lines *bufio.Scanner) result {
	if !lines.Scan() {
		err := lines.Err()
		if err == nil {
			err = fmt.Errorf("it ended before this case")
		}
		return result{name: c.Name, differences: []string{fmt.Sprintf("no word from the guest: %v", err)}}
	}
	o := new(conformance.Observation)
	if err := json.Unmarshal(lines.Bytes(), o); err != nil || o.Case != c.Name {
		return result{name: c.Name, differences: []string{fmt.Sprintf("the guest said something else: %.200q", lines.Text())}}
	}
	return result{c.Name, o, conformance.Judge(c, o)}
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

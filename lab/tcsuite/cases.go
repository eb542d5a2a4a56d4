// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// Case is one test case, as the kernel's creating-testcases/AddingTestCases.txt describes it.
type Case struct {
	ID, Name string
	// File is the case file's name below tc-tests.
	File            string
	Setup, Teardown []Line
	UnderTest       string // the line under test
	ExitCode        int    // its expected exit code
	Verify          string // shows the result
	Pattern         *regexp.Regexp
	Matches         int // how often Pattern is to be found
	// Skip is set for cases that the kernel's own runner skips.
	Skip bool
}

// Line is a line of set-up or teardown with the exit codes that are good.
type Line struct {
	Text  string
	Exits []int
}

// Lines are all lines of the case that change something, in the order in which they run.
func (c Case) Lines() []string {
	var all []string
	for _, l := range c.Setup {
		all = append(all, l.Text)
	}
	all = append(all, c.UnderTest)
	for _, l := range c.Teardown {
		all = append(all, l.Text)
	}
	return all
}

// LoadCases reads a file of cases; name is what becomes their File.
func LoadCases(path, name string) ([]Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read test cases: %w", err)
	}
	cases, err := parseCases(text)
	if err != nil {
		return nil, fmt.Errorf("read test cases %s: %w", name, err)
	}
	for i := range cases {
		cases[i].File = name
	}
	return cases, nil
}

// rawCase is a case as it stands in the file.
type rawCase struct {
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Skip         string  `json:"skip"`
	Setup        []Line  `json:"setup"`
	CmdUnderTest string  `json:"cmdUnderTest"`
	ExpExitCode  integer `json:"expExitCode"`
	VerifyCmd    string  `json:"verifyCmd"`
	MatchPattern string  `json:"matchPattern"`
	MatchCount   integer `json:"matchCount"`
	Teardown     []Line  `json:"teardown"`
}

func parseCases(text []byte) ([]Case, error) {
	var raw []rawCase
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	var cases []Case
	for i, r := range raw {
		if r.ID == "" || r.CmdUnderTest == "" {
			return nil, fmt.Errorf("case %d has no id or no command", i)
		}
		// As in the kernel's runner: "." also matches the end of a line, "^" and "$" match at every line.
		pattern, err := regexp.Compile("(?ms)" + r.MatchPattern)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", r.ID, err)
		}
		cases = append(cases, Case{
			ID: r.ID, Name: r.Name, Skip: r.Skip == "yes",
			Setup: withoutEmptyLines(r.Setup), Teardown: withoutEmptyLines(r.Teardown),
			UnderTest: r.CmdUnderTest, ExitCode: int(r.ExpExitCode),
			Verify: r.VerifyCmd, Pattern: pattern, Matches: int(r.MatchCount),
		})
	}
	return cases, nil
}

func withoutEmptyLines(lines []Line) []Line {
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Text == "" })
}

// integer is a number that the files write as a string or as a number.
type integer int

// UnmarshalJSON reads either form.
func (n *integer) UnmarshalJSON(text []byte) error {
	if unquoted, err := strconv.Unquote(string(text)); err == nil {
		text = []byte(unquoted)
	}
	i, err := strconv.Atoi(string(text))
	if err != nil {
		return fmt.Errorf("%s is not a whole number", text)
	}
	*n = integer(i)
	return nil
}

// UnmarshalJSON reads a line alone, for which only exit code 0 is good, or a list of a line and its good exit codes.
func (l *Line) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &l.Text) == nil {
		l.Exits = []int{0}
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s is neither a command nor a list of a command and exit codes", text)
	}
	if len(list) == 0 {
		return nil
	}
	exits := make([]int, len(list)-1)
	errs := []error{json.Unmarshal(list[0], &l.Text)}
	for i := range exits {
		errs = append(errs, json.Unmarshal(list[i+1], &exits[i]))
	}
	l.Exits = exits
	return errors.Join(errs...)
}

// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

//go:embed expect/*.json
var expectFiles embed.FS

// Expectation is what is right where the record of a case is not.
type Expectation struct {
	// ConfigHash is the SHA-256 of the sqm.uci that the expectation was written for, in hexadecimal. A case of the same
	// name with other content is not meant.
	ConfigHash string `json:"sqm_uci_sha256"`
	// Why has, for each BUG id of the case, what is right.
	Why map[string]string `json:"why"`
	// Start is the exit status that sqmd apply should have: shaped or refused.
	Start string `json:"start"`
	// AfterStart is a JSON merge patch (RFC 7396) on the record in the form of a [Tree]. The word [AsBefore] in place of
	// a device means that it is as it was before start.
	AfterStart map[string]any `json:"after_start"`
}

// AsBefore stands for a device that is as it was before start.
const AsBefore = "as before"

// Values of Expectation.Start.
const (
	startShaped  = "shaped"  // exit status 0
	startRefused = "refused" // exit status other than 0
)

// expectation finds the expectation for a case, nil if there is none for this content.
func (c *Case) expectation() (*Expectation, error) {
	text, err := expectFiles.ReadFile("expect/" + c.Name + ".json")
	if err != nil {
		return nil, nil // no file of that name is embedded
	}
	e, err := parseExpectation(text)
	if err != nil {
		return nil, fmt.Errorf("read expectation for %s: %w", c.Name, err)
	}
	if e.ConfigHash != c.hash() {
		return nil, nil
	}
	for _, id := range c.bugs() {
		if e.Why[id] == "" {
			return nil, fmt.Errorf("expectation for %s does not say what is right about %s", c.Name, id)
		}
	}
	return e, nil
}

func parseExpectation(text []byte) (*Expectation, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	e := new(Expectation)
	if err := decoder.Decode(e); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{startShaped, startRefused}, e.Start) {
		return nil, fmt.Errorf("start is %q, want %q or %q", e.Start, startShaped, startRefused)
	}
	if decoder.More() {
		return nil, errors.New("something stands behind the expectation")
	}
	for name, value := range e.AfterStart {
		if _, isObject := value.(node); !isObject && value != nil && value != AsBefore {
			return nil, fmt.Errorf("device %s is %v, want an object, null or %q", name, value, AsBefore)
		}
	}
	return e, nil
}

// expectationNames lists the cases that have an expectation.
func expectationNames() ([]string, error) {
	return fs.Glob(expectFiles, "expect/*.json")
}

// Target is what a case should come to.
type Target struct {
	Refused    bool // sqmd apply must report failure
	AfterStart Tree // a device may be the word [AsBefore]
}

// target derives the target from the record and the expectation, which may be nil.
func (c *Case) target(e *Expectation) (Target, error) {
	record, err := c.Record.AfterStart.tree()
	if err != nil {
		return Target{}, fmt.Errorf("read the record of %s: %w", c.Name, err)
	}
	t := Target{Refused: c.Record.Start.RC != 0, AfterStart: record}
	if e != nil {
		t.Refused = e.Start == startRefused
		t.AfterStart = merge(node(record), node(e.AfterStart)).(node)
	}
	if c.noted(idleIFB) {
		t.AfterStart.dropIdleIFBs()
	}
	return t, nil
}

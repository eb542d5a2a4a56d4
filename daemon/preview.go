// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sqmd/shaping"
	"sqmd/ubus"
	"sqmd/uci"
)

// PreviewReport is the answer of preview: what a configuration that is not in force
// is worth, and what would be done if it were.
type PreviewReport struct {
	// Usable is set when no finding is an error.
	Usable   bool             `json:"usable"`
	Findings []PreviewFinding `json:"findings"`
	Queues   []QueuePreview   `json:"queues"`
}

// PreviewFinding is a [uci.Finding] for who has the text in a form, and no lines.
type PreviewFinding struct {
	Severity string `json:"severity"` // error, warning or note
	File     string `json:"file"`     // sqm or sqmd
	Section  string `json:"section,omitempty"`
	Option   string `json:"option,omitempty"`
	Message  string `json:"message"`
}

// QueuePreview is a [UnitPlan] in short.
type QueuePreview struct {
	Queue   string `json:"queue"`
	Device  string `json:"device"`
	Present bool   `json:"present"` // the device exists
	// Lines are the commands of what would be done now, Tree those that would make
	// all of it from nothing.
	Lines []string `json:"lines"`
	Tree  []string `json:"tree"`
}

const (
	// maxPreviewText bounds each of the two texts, in bytes.
	maxPreviewText = 64 << 10
	// maxPreviewQueues bounds the work: planning one queue takes some milliseconds on
	// a small router, on which nothing else is looked after meanwhile.
	maxPreviewQueues = 64
	// maxPreviewFindings bounds the answer.
	maxPreviewFindings = 200
)

// preview reads the texts as if they were the files. Nothing is kept of them.
func (c *core) preview(a Arguments) (PreviewReport, error) {
	if err := c.connect(); err != nil {
		return PreviewReport{}, err
	}
	read := uci.ParseSQM(c.options.SQM, []byte(a.Config))
	if len(read.Queues) > maxPreviewQueues {
		return PreviewReport{}, fmt.Errorf("there are %d queues, at most %d can be previewed: %w", len(read.Queues), maxPreviewQueues, ubus.StatusInvalidArgument)
	}
	candidate := c.config
	candidate.take(judged(read), c.config.queues)
	engine := *c.engine
	engine.Resolve = c.networks.look
	units, groups, err := engine.Units(candidate.inForce(), "")
	if err != nil {
		c.reopen = true
		return PreviewReport{}, err
	}
	found := candidate.read.Findings
	add := func(more []uci.Finding) {
		for _, f := range more {
			if !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	add(groups)
	report := PreviewReport{Findings: []PreviewFinding{}, Queues: []QueuePreview{}}
	for _, r := range engine.PreviewAll(units[:min(len(units), maxPreviewQueues)]...) {
		if r.Err != nil {
			c.reopen = true
			return PreviewReport{}, r.Err
		}
		add(r.Plan.Findings)
		report.Queues = append(report.Queues, previewOf(r))
	}
	found = append(found, uci.CheckSettings(c.options.SQMD, []byte(a.SQMD))...)
	report.judge(found)
	return report, nil
}

func previewOf(r shaping.Result) QueuePreview {
	links := r.Before.Links
	return QueuePreview{Queue: r.Unit.Title(), Device: r.Unit.Device, Present: !r.Plan.Waiting,
		Lines: shaping.Commands(r.Ops, links), Tree: r.Plan.Desired(links)}
}

// judge takes the findings in, the worst ones where there are too many.
func (p *PreviewReport) judge(found []uci.Finding) {
	p.Usable = !slices.ContainsFunc(found, func(f uci.Finding) bool { return f.Severity >= uci.Error })
	if len(found) > maxPreviewFindings {
		slices.SortStableFunc(found, func(a, b uci.Finding) int { return int(b.Severity - a.Severity) })
		found = found[:maxPreviewFindings]
	}
	for _, f := range found {
		message := f.Problem
		if f.Accepted != "" {
			message += "; accepted: " + f.Accepted
		}
		p.Findings = append(p.Findings, PreviewFinding{Severity: f.Severity.String(), File: filepath.Base(f.File),
			Section: f.Section, Option: f.Option, Message: plain(message)})
	}
}

// plain is a text without control characters, which ubus would not carry.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

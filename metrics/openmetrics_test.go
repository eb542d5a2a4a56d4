// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"
)

// exposition is OpenMetrics text, taken apart by rules that owe nothing to Write.
type exposition struct {
	families []described
	series   []series
}

// described is the metadata of a family.
type described struct{ name, kind, unit, help string }

type series struct {
	name   string
	labels map[string]string
	value  string
}

var (
	metadataLine = regexp.MustCompile(`^# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$`)
	sampleLine   = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([0-9]+(?:\.[0-9]+)?)$`)
	labelPair    = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(,|$)`)
	unescaper    = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
)

// parse refuses what the format forbids, and of what it allows all that Write has
// no need of: other types than counter and gauge, timestamps, exemplars, negative
// numbers and families without a type.
func parse(text string) (e exposition, err error) {
	body, ended := strings.CutSuffix(text, "# EOF\n")
	if !ended || !utf8.ValidString(text) {
		return e, fmt.Errorf("no # EOF at the end, or not UTF-8")
	}
	seen := map[string]bool{}
	for n, line := range strings.SplitAfter(body, "\n") {
		if line == "" && n > 0 || body == "" {
			break // what follows the last line feed
		}
		line, ended := strings.CutSuffix(line, "\n")
		switch {
		case !ended:
			err = fmt.Errorf("no line feed")
		case strings.HasPrefix(line, "#"):
			err = e.metadata(line, seen)
		default:
			err = e.sample(line, seen)
		}
		if err != nil {
			return e, fmt.Errorf("line %d, %q: %w", n+1, line, err)
		}
	}
	return e, nil
}

// metadata takes TYPE, UNIT and HELP, in this order; TYPE begins a family.
func (e *exposition) metadata(line string, seen map[string]bool) error {
	m := metadataLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("not metadata")
	}
	what, name, text := m[1], m[2], m[3]
	if what == "TYPE" {
		if seen[name] {
			return fmt.Errorf("the family was there before")
		}
		seen[name] = true
		if text != counter && text != gauge || strings.HasSuffix(name, "_total") {
			return fmt.Errorf("type or name of no family of ours")
		}
		e.families = append(e.families, described{name: name, kind: text})
		return nil
	}
	last := e.last()
	switch {
	case last.name != name || last.help != "" || e.sampled(last):
		return fmt.Errorf("not in its family, in front of the samples")
	case what == "UNIT" && (last.unit != "" || !strings.HasSuffix(name, "_"+text)):
		return fmt.Errorf("a second unit, or not the end of the name")
	case what == "UNIT":
		last.unit = text
	case strings.ContainsAny(text, `\"`):
		return fmt.Errorf("help that the two formats escape differently")
	default:
		last.help = text
	}
	return nil
}

// last is the family that lines belong to now.
func (e *exposition) last() *described {
	if len(e.families) == 0 {
		return &described{}
	}
	return &e.families[len(e.families)-1]
}

// sampled tells whether the last sample is of f.
func (e *exposition) sampled(f *described) bool {
	return len(e.series) > 0 && e.series[len(e.series)-1].name == f.sampleName()
}

func (f *described) sampleName() string {
	if f.kind == counter {
		return f.name + "_total"
	}
	return f.name
}

func (e *exposition) sample(line string, seen map[string]bool) error {
	m := sampleLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("not a sample")
	}
	if m[1] != e.last().sampleName() {
		return fmt.Errorf("not of the family %q", e.last().name)
	}
	labels, err := parseLabels(m[2])
	if err != nil {
		return err
	}
	identity := m[1] + "{}" // apart from the names of families
	for name, value := range labels {
		identity += fmt.Sprintf("\x00%s=%q", name, value)
	}
	parts := strings.Split(identity, "\x00")
	sort.Strings(parts[1:])
	if identity = strings.Join(parts, "\x00"); seen[identity] {
		return fmt.Errorf("the series was there before")
	}
	seen[identity] = true
	e.series = append(e.series, series{m[1], labels, m[3]})
	return nil
}

func parseLabels(text string) (map[string]string, error) {
	labels := map[string]string{}
	for text != "" {
		m := labelPair.FindStringSubmatch(text)
		if m == nil || strings.HasSuffix(text, ",") && m[0] == text {
			return nil, fmt.Errorf("not a label: %q", text)
		}
		if _, twice := labels[m[1]]; twice {
			return nil, fmt.Errorf("label %s twice", m[1])
		}
		labels[m[1]] = unescaper.Replace(m[2])
		text = text[len(m[0]):]
	}
	return labels, nil
}

// TestChecker holds that the checker finds what it is there for.
func TestChecker(t *testing.T) {
	const head = "# TYPE a gauge\n# HELP a Text.\n"
	for name, bad := range map[string]string{
		"no end":             head + "a 1\n",
		"after the end":      head + "a 1\n# EOF\na 2\n",
		"not UTF-8":          head + "a{l=\"\xff\"} 1\n# EOF\n",
		"empty line":         head + "\na 1\n# EOF\n",
		"comment":            "# hello\n# EOF\n",
		"no type":            "a 1\n# EOF\n",
		"type after sample":  "# TYPE b gauge\nb 1\na 1\n# TYPE a gauge\n# EOF\n",
		"help after sample":  "# TYPE a gauge\na 1\n# HELP a Text.\n# EOF\n",
		"unit after help":    "# TYPE a_bytes gauge\n# HELP a_bytes Text.\n# UNIT a_bytes bytes\n# EOF\n",
		"two types":          "# TYPE a gauge\n# TYPE a gauge\n# EOF\n",
		"two helps":          head + "# HELP a Text.\n# EOF\n",
		"unit not in name":   "# TYPE a gauge\n# UNIT a bytes\n# EOF\n",
		"info":               "# TYPE a info\n# EOF\n",
		"total in the type":  "# TYPE a_total counter\na_total 1\n# EOF\n",
		"counter without":    "# TYPE a counter\na 1\n# EOF\n",
		"gauge with total":   "# TYPE a gauge\na_total 1\n# EOF\n",
		"interleaved":        head + "a{l=\"1\"} 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\na{l=\"2\"} 1\n# EOF\n",
		"interleaved sample": head + "a{l=\"1\"} 1\n# TYPE b gauge\nb 1\na{l=\"2\"} 1\n# EOF\n",
		"duplicate":          head + "a{l=\"1\",m=\"2\"} 1\na{m=\"2\",l=\"1\"} 1\n# EOF\n",
		"label twice":        head + "a{l=\"1\",l=\"2\"} 1\n# EOF\n",
		"bare quote":         head + "a{l=\"1\"2\"} 1\n# EOF\n",
		"bare backslash":     head + "a{l=\"\\d\"} 1\n# EOF\n",
		"trailing comma":     head + "a{l=\"1\",} 1\n# EOF\n",
		"negative":           head + "a -1\n# EOF\n",
		"point and no digit": head + "a 1.\n# EOF\n",
		"no number":          head + "a\n# EOF\n",
		"quote in help":      "# TYPE a gauge\n# HELP a \"Text\".\n# EOF\n",
	} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	good := "# TYPE a_bytes counter\n# UNIT a_bytes bytes\n# HELP a_bytes Text.\na_bytes_total{l=\"}\\\\\\n\\\" \",m=\"\"} 1.5\na_bytes_total 1\n# TYPE b gauge\n# EOF\n"
	for _, text := range []string{good, "# EOF\n"} {
		if _, err := parse(text); err != nil {
			t.Error(err)
		}
	}
}

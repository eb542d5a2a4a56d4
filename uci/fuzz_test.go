// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// addSeeds gives the fuzzer the syntax table and the sample configurations.
func addSeeds(f *testing.F) {
	for _, c := range syntaxCases {
		f.Add([]byte(c.text))
	}
	paths, err := filepath.Glob("testdata/*.uci")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no test data: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
}

// checkFindings holds what is true of all findings.
func checkFindings(t *testing.T, text []byte, found []Finding) {
	t.Helper()
	if len(found) > maxFindings+1 {
		t.Errorf("%d findings", len(found))
	}
	lines := strings.Count(string(text), "\n") + 1
	for _, f := range found {
		if f.Line < 0 || f.Line > lines || f.Line == 0 && f.Severity == Error {
			t.Errorf("line %d of %d: %+v", f.Line, lines, f)
		}
		shown := f.String()
		if len(shown) > 1200 || strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
			t.Errorf("not printable, or too long: %q", shown)
		}
	}
}

// FuzzParse holds that any text is read, and that what it means can be written
// down and read again as the same.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		file, found := Parse("f", text)
		checkFindings(t, text, found)
		again, _ := Parse("f", write(file))
		if show(again) != show(file) {
			t.Errorf("read  %q\nagain %q", show(file), show(again))
		}
	})
}

// write gives the text of a file, quoted as uci(1) does.
func write(f File) []byte {
	var b strings.Builder
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	for _, s := range f.Sections {
		b.WriteString("config " + quote(s.Type))
		if s.Name != "" {
			b.WriteString(" " + quote(s.Name))
		}
		b.WriteString("\n")
		for _, o := range s.Options {
			keyword := "option"
			if o.List {
				keyword = "list"
			}
			for _, v := range o.Values {
				b.WriteString(keyword + " " + o.Name + " " + quote(v) + "\n")
			}
		}
	}
	return []byte(b.String())
}

// FuzzParseSQM holds what everyone who configures a queue relies on.
func FuzzParseSQM(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		config := ParseSQM("f", text)
		checkFindings(t, text, config.Findings)
		errors := slices.ContainsFunc(config.Findings, func(f Finding) bool { return f.Severity == Error })
		for _, q := range config.Queues {
			if q.Broken && !(q.Enabled && errors) {
				t.Errorf("broken without reason: %+v", q)
			}
			if q.Enabled && !q.Broken {
				checkUsable(t, q)
			}
		}
	})
}

// checkUsable holds that a queue which is to be configured can be.
func checkUsable(t *testing.T, q Queue) {
	t.Helper()
	rateOK := func(r Rate) bool { return 0 <= r && r <= maxKbit*1000 && r%1000 == 0 }
	leaf := slices.Contains(leafQdiscs, q.Qdisc) && (q.Qdisc != "cake" || q.Recipe != SimplestTBF)
	cake := q.UsesCake()
	for what, ok := range map[string]bool{
		"rates":      rateOK(q.Download) && rateOK(q.Upload),
		"unlimited":  cake || q.Unlimited == Directions{},
		"interface":  q.Logical && validName(q.Interface) || !q.Logical && validDevice(q.Interface),
		"recipe":     PieceOfCake <= q.Recipe && q.Recipe <= SimplestTBF,
		"qdisc":      leaf && (cake || q.Recipe != PieceOfCake && q.Recipe != LayerCake),
		"mq":         cake || !q.UseMQ,
		"link layer": LinkNone <= q.LinkLayer && q.LinkLayer <= LinkPTM && (cake || q.LinkLayer != LinkPTM),
		"overhead":   -1500 <= q.Overhead && q.Overhead <= 1500 && (!cake || -64 <= q.Overhead && q.Overhead <= 256),
		"mpu":        0 <= q.MPU && q.MPU <= 1500 && (!cake || q.MPU <= 256),
		"mechanism":  q.LinkLayer == LinkNone || q.Mechanism == MechanismDefault || cake == (q.Mechanism == MechanismCake),
		"limits":     q.IngressLimit >= 0 && q.EgressLimit >= 0,
		"verbosity":  0 <= q.Verbosity && q.Verbosity <= 10,
	} {
		if !ok {
			t.Errorf("bad %s: %+v", what, q)
		}
	}
}

// FuzzCheckSettings holds that any text has findings that can be shown, and no error.
func FuzzCheckSettings(f *testing.F) {
	addSeeds(f)
	f.Add([]byte("config sqmd main\n\toption enabled 2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkFindings(t, text, CheckSettings("f", text))
	})
}

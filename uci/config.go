// SPDX-License-Identifier: GPL-2.0-or-later

// Package uci reads OpenWrt's configuration files. [Parse] knows the syntax of
// UCI; [ParseSQM] and [LoadSQM] turn /etc/config/sqm into validated queues and
// say for everything they could not use which line and option it is, what is
// wrong and what would be right. [Schema] and [Presets] describe what there is
// to choose from.
package uci

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

//go:generate go run ./internal/optionsdoc ../docs/options.md
//go:generate go run ./internal/pageschema ../luci-app/htdocs/luci-static/resources/sqmd/schema.js

// Config is what /etc/config/sqm says.
type Config struct {
	Queues   []Queue   // in file order, disabled ones included
	Findings []Finding // in line order

	// Incomplete is set when a queue may be missing because its lines could
	// not be read (see [File]): shaping whose queue is not listed must then
	// be left as it is.
	Incomplete bool
	// Damaged is set when any line could not be read: a queue may look disabled
	// only because its line is lost.
	Damaged bool
}

// LoadSQM reads and validates the file. The error is about the file as such;
// what is wrong inside it is told by Findings.
func LoadSQM(path string) (Config, error) {
	text, err := ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return ParseSQM(path, text), nil
}

// ReadFile reads a configuration file. Of one that is larger than [Parse] accepts
// it reads only as much as Parse needs to refuse it.
func ReadFile(path string) (text []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read configuration: %w", err)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxFileSize+1))
}

// ParseSQM validates text, which came from the file called name.
func ParseSQM(name string, text []byte) Config {
	var fs findings
	file := parse(name, text, &fs)
	c := Config{Incomplete: file.Incomplete, Damaged: len(fs.list) > 0}
	claims := claims{}
	for _, s := range file.Sections {
		if s.Type != "queue" {
			fs.add(Finding{File: name, Line: s.Line, Type: s.Type, Section: s.Title(), Severity: Warning,
				Problem: "this section is ignored", Accepted: "sections of type queue"})
			continue
		}
		d := decoder{findings: &fs, section: s, queue: newQueue(name, s)}
		d.decode()
		if d.queue.Enabled {
			claims.check(&d)
		}
		c.Queues = append(c.Queues, d.queue)
	}
	c.Findings = fs.sorted(name)
	return c
}

func newQueue(file string, s Section) Queue {
	return Queue{File: file, Section: s.Title(), Line: s.Line, options: s.Options}
}

// claims remembers which enabled section shapes which direction of a device.
// A direction can be shaped once only.
type claims map[direction]place

type direction struct {
	device  string
	logical bool
	option  string // download or upload
}

type place struct {
	section string
	line    int
}

// check claims the directions d's queue shapes, and reports those that another
// section has claimed before.
func (c claims) check(d *decoder) {
	q := &d.queue
	if q.Interface == "" {
		return
	}
	shapes := d.shapes()
	var taken []string
	var first place
	for _, option := range []string{"download", "upload"} {
		if option == "download" && !shapes.Download || option == "upload" && !shapes.Upload {
			continue
		}
		key := direction{q.Interface, q.Logical, option}
		if holder, held := c[key]; held {
			taken, first = append(taken, option), holder
			continue
		}
		c[key] = place{q.Section, q.Line}
	}
	if taken == nil {
		return
	}
	d.report(Error, "interface", fmt.Sprintf("queue %s in line %d already shapes the %s of this device",
		quoted(first.section), first.line, strings.Join(taken, " and ")),
		"another device, or the rate 0 for what the other queue shapes")
}

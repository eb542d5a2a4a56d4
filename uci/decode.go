// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import "slices"

// decoder turns one section into a queue.
type decoder struct {
	section  Section
	queue    Queue
	findings *findings

	changed  []string   // options with a usable value that is not the default
	declined Directions // directions whose rate is a valid 0
}

func (d *decoder) decode() {
	q := &d.queue
	q.Enabled, _ = d.flag("enabled")
	q.DebugLogging, _ = d.flag("debug_logging")
	q.Verbosity = d.integer(d.describe("verbosity"))
	d.device()
	d.recipe()
	d.rates()
	d.leaf()
	d.link()
	d.cake()
	d.goal()
	d.ineffective()
	if d.section.damaged {
		// The finding that says why was made by the parser.
		q.Broken = q.Enabled
	}
}

// report adds a finding about an option. What is wrong in a disabled queue does
// no harm: it is a warning at most.
func (d *decoder) report(sev Severity, option, problem, accepted string) {
	q := &d.queue
	if sev == Error {
		q.Broken = q.Enabled
		if !q.Enabled {
			sev = Warning
		}
	}
	if d.findings.full() {
		// Looking up the option would take its time, in a section of a hundred
		// thousand of them.
		d.findings.add(Finding{Line: q.Line, Severity: sev})
		return
	}
	d.findings.add(q.Finding(sev, option, problem, accepted))
}

// text gives the value of an option; it is empty where the option is absent.
func (d *decoder) text(name string) string {
	o, _ := d.section.Lookup(name)
	return o.Text()
}

// describe finds an option that is certainly in the schema.
func (d *decoder) describe(name string) OptionInfo {
	info, _ := describe(name)
	return info
}

// unusable reports a value that cannot be read.
func (d *decoder) unusable(info OptionInfo, problem string) {
	if info.Strict {
		d.report(Error, info.Name, problem, info.Accepted())
		return
	}
	def := "the default is used"
	if info.Default != "" {
		def = "the default " + info.Default + " is used"
	}
	d.report(Warning, info.Name, problem+", "+def, info.Accepted())
}

// note remembers an option whose value is not the default.
func (d *decoder) note(name string, differs bool) {
	if differs {
		d.changed = append(d.changed, name)
	}
}

// flag reads a truth value; given is false where the option is absent or
// unusable and the default holds.
func (d *decoder) flag(name string) (value, given bool) {
	info := d.describe(name)
	def, _, _ := boolean(info.Default)
	text := d.text(name)
	if text == "" {
		return def, false
	}
	value, clean, ok := boolean(text)
	switch {
	case !ok:
		d.unusable(info, "not a truth value"+didYouMean(text, info.Choices))
		return def, false
	case !clean && value:
		d.report(Note, name, "read as 1", "")
	case !clean:
		d.report(Warning, name, "any number but 1 is read as 0", info.Accepted())
	}
	d.note(name, value != def || info.Default == "")
	return value, true
}

// optionalFlag reads a truth value that has no default.
func (d *decoder) optionalFlag(name string) *bool {
	value, given := d.flag(name)
	if !given {
		return nil
	}
	return &value
}

// integer reads a number inside the range of the schema, or gives the default.
func (d *decoder) integer(info OptionInfo) int {
	def, _ := signedDigits(info.Default)
	text := d.text(info.Name)
	if text == "" {
		return int(def)
	}
	n, ok := signedDigits(text)
	if !ok {
		d.unusable(info, "not a whole number")
		return int(def)
	}
	if !info.Range.holds(n) {
		d.unusable(info, "out of range")
		return int(def)
	}
	d.note(info.Name, n != def)
	return int(n)
}

// choice reads one of the words of the schema; it is empty where the option is
// absent or unusable.
func (d *decoder) choice(name string) string {
	info := d.describe(name)
	text := d.text(name)
	if text == "" {
		return ""
	}
	if !slices.Contains(info.Choices, text) {
		d.unusable(info, "not known"+didYouMean(text, info.Choices))
		return ""
	}
	d.note(name, text != info.Default)
	return text
}

func didYouMean(text string, known []string) string {
	if near := nearest(text, known); near != "" {
		return ", perhaps " + near + " is meant"
	}
	return ""
}

// ineffective reports options that do nothing: unknown ones, historical ones,
// and those that the chosen shaper has no use for.
func (d *decoder) ineffective() {
	for _, o := range d.section.Options {
		info, known := describe(o.Name)
		switch {
		case !known:
			d.report(Warning, o.Name, "no such option, it is ignored"+didYouMean(o.Name, optionNames()), "")
		case info.Group == GroupHistorical:
			d.report(Warning, o.Name, "has no effect any more", "")
		case slices.Contains(d.changed, o.Name) && !info.Scope.holds(&d.queue, o.Text()) && !info.Scope.Silent:
			d.report(Warning, o.Name, "has no effect here, only "+info.Scope.Words, "")
		}
	}
}

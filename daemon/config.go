// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"sqmd/daemon/journal"
	"sqmd/shaping"
	"sqmd/uci"
)

const defaultVerbosity = 5

// config is the configuration in force, which may be older than the files.
type config struct {
	sqm, sqmd file
	// goodPath keeps a copy of the last file without errors, for a daemon that
	// starts when the file has some.
	goodPath string

	text       string     // of the file of queues, as last read
	read       uci.Config // what it says
	queues     []uci.Queue
	kept       map[string]bool // sections of queues that are from before
	more       []uci.Finding   // in the other file
	problem    string          // why the file cannot be read, "" if it can
	generation int
}

// inForce is what to shape by.
func (c *config) inForce() uci.Config {
	return uci.Config{Queues: c.queues, Incomplete: c.read.Incomplete, Damaged: c.read.Damaged}
}

// names reports whether an enabled queue names the device.
func (c *config) names(device string) bool {
	return slices.ContainsFunc(c.queues, func(q uci.Queue) bool { return q.Enabled && q.Interface == device })
}

// errors reports whether an enabled queue cannot be used, or may have been lost.
func (c *config) errors() bool {
	return c.problem != "" || c.read.Incomplete || len(c.kept) > 0 ||
		slices.ContainsFunc(c.read.Queues, func(q uci.Queue) bool { return q.Enabled && q.Broken })
}

// verbosity is the greatest of all queues.
func (c *config) verbosity() int {
	most := -1
	for i := range c.queues {
		if c.queues[i].Enabled {
			most = max(most, verbosityOf(&c.queues[i]))
		}
	}
	if most < 0 {
		return defaultVerbosity
	}
	return most
}

func verbosityOf(q *uci.Queue) int {
	if q.DebugLogging {
		return int(journal.Trace)
	}
	return q.Verbosity
}

// changed reports which of the files have other content than was read, and are not
// just being written.
func (c *config) changed() (sqm, sqmd bool) {
	sqm, sqmd = c.sqm.changed(), c.sqmd.changed()
	if !sqm || c.problem != "" {
		return sqm, sqmd
	}
	text, err := uci.ReadFile(c.sqm.path)
	if err == nil && string(text) == c.text {
		c.sqm.note()
		return false, sqmd
	}
	return true, sqmd
}

// take puts a new reading in force: its queues, and for those that cannot be used
// what they were before. In a damaged file a queue may be missing, or look
// disabled, only because its line is lost.
func (c *config) take(read uci.Config, before []uci.Queue) {
	c.read, c.queues, c.kept = read, nil, map[string]bool{}
	for _, q := range read.Queues {
		if q.Enabled && q.Broken || !q.Enabled && read.Damaged {
			if old := counterpart(q, before, read.Queues); old != nil {
				q = *old
				c.kept[q.Section] = true
			}
		}
		c.queues = append(c.queues, q)
	}
	if !read.Incomplete && !read.Damaged {
		return
	}
	for _, q := range before {
		if !slices.ContainsFunc(c.queues, func(have uci.Queue) bool { return have.Section == q.Section || collide(have, q) }) {
			c.queues = append(c.queues, q)
			c.kept[q.Section] = true
		}
	}
}

// collide reports whether two queues shape one direction of a device.
func collide(a, b uci.Queue) bool {
	if !a.Enabled || !b.Enabled || a.Interface != b.Interface || a.Logical != b.Logical {
		return false
	}
	return a.Shapes().Upload && b.Shapes().Upload || a.Shapes().Download && b.Shapes().Download
}

// counterpart is what a queue that cannot be used was before: the one of the same
// name or, where it has none or another than before, of the same device. Titles
// of sections without a name tell nothing: they count places in the file.
func counterpart(q uci.Queue, before, now []uci.Queue) *uci.Queue {
	for i, old := range before {
		if old.Enabled && !old.Broken && old.Section == q.Section && (!anonymous(q) || q.Interface == "") {
			return &before[i]
		}
	}
	for i, old := range before {
		sameDevice := q.Interface == old.Interface && q.Logical == old.Logical
		stillThere := !anonymous(old) && slices.ContainsFunc(now, func(n uci.Queue) bool { return n.Section == old.Section })
		if old.Enabled && !old.Broken && sameDevice && !stillThere {
			return &before[i]
		}
	}
	return nil
}

func anonymous(q uci.Queue) bool { return strings.HasPrefix(q.Section, "@") }

// load reads the configuration. One that cannot be read, or not all of it, leaves
// in force what was before.
func (c *core) load(now time.Duration, why string) {
	if c.read(now, why) {
		c.startOver(now, "")
	}
}

// read reports whether there was a configuration to read.
func (c *core) read(now time.Duration, why string) bool {
	c.config.sqm.note()
	text, err := uci.ReadFile(c.options.SQM)
	if err != nil {
		c.unreadable(now, err)
		return false
	}
	c.config.problem = ""
	c.config.generation++
	c.config.text = string(text)
	before := c.config.queues
	if before == nil {
		before = c.goodBefore()
	}
	read := c.parse(text)
	c.config.take(read, before)
	c.loadMore(now)
	c.say(now, journal.Info, "configuration read: "+why)
	for _, f := range read.Findings {
		c.tellFinding(now, f)
	}
	c.tellMore(now)
	if !c.config.errors() && !read.Damaged {
		c.keepCopy(now, text)
	}
	c.networks.keep(c.config.names)
	return true
}

// parse reads the text of the file of queues.
func (c *core) parse(text []byte) uci.Config { return judged(uci.ParseSQM(c.options.SQM, text)) }

// judged finds also the mistakes that only show when options become qdiscs: a queue
// that has one cannot be used.
func judged(read uci.Config) uci.Config {
	for _, f := range shaping.Check(read) {
		read.Findings = append(read.Findings, f)
		for i := range read.Queues {
			if f.Severity >= uci.Error && read.Queues[i].Section == f.Section {
				read.Queues[i].Broken = true
			}
		}
	}
	return read
}

// unreadable notes that there is no file, or none that can be read.
func (c *core) unreadable(now time.Duration, err error) {
	if err.Error() == c.config.problem {
		return
	}
	c.config.problem = err.Error()
	left := "the configuration in force stays"
	if c.config.generation == 0 {
		// What a daemon before this one shaped is not to be set free for that.
		c.config.take(uci.Config{Incomplete: true, Damaged: true}, c.goodBefore())
		if len(c.config.queues) == 0 {
			left = "nothing is shaped until there is one"
		}
	}
	c.say(now, journal.Error, fmt.Sprintf("%v; %s", err, left))
}

// tellMore logs the mistakes in the file of what is not a queue.
func (c *core) tellMore(now time.Duration) {
	for _, f := range c.config.more {
		c.tellFinding(now, f)
	}
}

// loadMore reads the file of what is not a queue.
func (c *core) loadMore(now time.Duration) {
	c.config.sqmd.note()
	c.config.more = nil
	text, err := uci.ReadFile(c.options.SQMD)
	switch {
	case err == nil:
		c.config.more = uci.CheckSettings(c.options.SQMD, text)
	case !errors.Is(err, fs.ErrNotExist):
		c.say(now, journal.Error, err.Error())
	}
}

// startOver forgets failures, conflicts and stops by hand, of one device or with
// "" of all: the configuration may have put them right, and who reloads wants it
// tried.
func (c *core) startOver(now time.Duration, device string) {
	for _, q := range c.queues {
		if device != "" && device != q.device {
			continue
		}
		q.startOver()
	}
	c.leftover.reset()
	if err := c.engine.Records.ClearStopped(device, c.order); err != nil {
		c.say(now, journal.Error, err.Error())
	}
	c.networks.refresh = true
	c.due = max(now, c.last+pace)
}

// copyHead is the first line of the copy of a good file: which file it was.
func (c *core) copyHead() string { return "# of " + strconv.Quote(c.options.SQM) + "\n" }

// goodBefore are the queues of the last good file of a daemon before this one.
func (c *core) goodBefore() []uci.Queue {
	text, err := uci.ReadFile(c.config.goodPath)
	if err != nil || !strings.HasPrefix(string(text), c.copyHead()) {
		return nil
	}
	return uci.ParseSQM(c.options.SQM, text).Queues
}

// keepCopy keeps a copy of a good file on tmpfs.
func (c *core) keepCopy(now time.Duration, text []byte) {
	if err := replaceFile(c.config.goodPath, append([]byte(c.copyHead()), text...)); err != nil {
		c.say(now, journal.Error, fmt.Sprintf("keep a copy of the configuration: %v", err))
	}
}

// replaceFile puts a file in the state directory in place in one step.
func replaceFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// file is a file that is watched for changes by its identity, once a second.
type file struct {
	path          string
	seen, pending identity
	unsettled     int // how often in a row it was found just being written
}

// settleTries is how often a file may be found just being written before it is
// read all the same.
const settleTries = 5

// note takes the file as it is for known.
func (f *file) note() {
	f.seen = identify(f.path)
	f.pending, f.unsettled = f.seen, 0
}

// changed reports whether the file is another than the known one, and has been
// since the last call: one that is just being written is let be for a while.
func (f *file) changed() bool {
	id := identify(f.path)
	if id == f.seen {
		f.pending, f.unsettled = id, 0
		return false
	}
	if id != f.pending {
		f.unsettled++
	}
	settled := id == f.pending || f.unsettled >= settleTries
	f.pending = id
	return settled
}

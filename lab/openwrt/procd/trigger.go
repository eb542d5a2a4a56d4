// SPDX-License-Identifier: GPL-2.0-or-later

package procd

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"sqmd/lab/ubusd"
)

// trigger runs a script after an event. All of it needs the supervisor's lock.
type trigger struct {
	of      *service
	event   string // pattern of the event's name
	script  []any  // what to do, in the language of libubox's json_script
	pause   time.Duration
	timer   *time.Timer
	pending bool // its script is queued or runs: events meanwhile are lost
	removed bool
}

// job is a script to be run.
type job struct {
	trigger *trigger
	command []string
	env     []string
}

// addTriggers reads triggers as procd.sh sends them: [event, script] or [event, script, pause in milliseconds].
func (s *Supervisor) addTriggers(of *service, list []any) {
	for _, item := range list {
		parts, _ := item.([]any)
		if len(parts) < 2 {
			continue
		}
		event, named := parts[0].(string)
		script, scripted := parts[1].([]any)
		if !named || !scripted {
			continue
		}
		t := &trigger{of: of, event: event, script: script}
		if len(parts) > 2 {
			n, _ := integer(parts[2])
			t.pause = time.Duration(n) * time.Millisecond
		}
		s.triggers = append(s.triggers, t)
	}
}

// removeTriggers forgets a service's triggers, also those that wait for their pause to end.
func (s *Supervisor) removeTriggers(of *service) {
	s.triggers = slices.DeleteFunc(s.triggers, func(t *trigger) bool {
		if t.of != of {
			return false
		}
		t.removed = true
		if t.timer != nil {
			t.timer.Stop()
		}
		return true
	})
}

// Event passes on an event, such as config.change with the name of the package.
func (s *Supervisor) Event(request map[string]any) ubusd.Status {
	name, given := request["type"].(string)
	if !given {
		return ubusd.InvalidArgument
	}
	data, _ := request["data"].(map[string]any)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.event(name, data)
	return ubusd.OK
}

// event needs the lock. Of events that come while a trigger's pause lasts only the last counts.
func (s *Supervisor) event(name string, data map[string]any) {
	for _, t := range slices.Clone(s.triggers) {
		if t.pending || !fits(t.event, name) {
			continue
		}
		if t.pause == 0 {
			s.runScript(t, data)
			continue
		}
		if t.timer != nil {
			t.timer.Stop()
		}
		var timer *time.Timer
		timer = time.AfterFunc(t.pause, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if t.timer == timer && !t.removed {
				s.runScript(t, data)
			}
		})
		t.timer = timer
	}
}

// fits tells whether an event is one of a trigger's. A pattern counts up to its first ".*".
func fits(pattern, name string) bool {
	if prefix, _, wild := strings.Cut(pattern, ".*"); wild {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

// runScript carries out a trigger's script: commands are queued.
func (s *Supervisor) runScript(t *trigger, data map[string]any) {
	env := []string{"PARAM_type=" + t.event}
	for _, name := range slices.Sorted(maps.Keys(data)) {
		env = append(env, fmt.Sprintf("PARAM_%s=%v", name, data[name]))
	}
	evaluate(t.script, data, func(command []string) {
		if t.pending {
			return
		}
		t.pending = true
		s.jobs = append(s.jobs, job{t, command, env})
	})
	if !s.working && len(s.jobs) > 0 {
		s.working = true
		go s.work()
	}
}

// evaluate reads [command...] and calls run for each run_script that applies.
func evaluate(script []any, data map[string]any, run func([]string)) {
	if len(script) == 0 {
		return
	}
	if _, block := script[0].([]any); block {
		for _, item := range script {
			line, _ := item.([]any)
			evaluate(line, data, run)
		}
		return
	}
	switch script[0] {
	case "run_script":
		if command, ok := stringsOf(script[1:]); ok && len(command) > 0 {
			run(command)
		}
	case "if":
		branch := 2
		if len(script) < 3 {
			return
		}
		if condition, _ := script[1].([]any); !holds(condition, data) {
			branch = 3
		}
		if len(script) > branch {
			line, _ := script[branch].([]any)
			evaluate(line, data, run)
		}
	}
}

// holds evaluates ["eq", variable, value...], and "or", "and" and "not" of such.
func holds(condition []any, data map[string]any) bool {
	if len(condition) < 2 {
		return false
	}
	inner := func(item any) bool {
		list, _ := item.([]any)
		return holds(list, data)
	}
	switch condition[0] {
	case "eq":
		name, _ := condition[1].(string)
		value, given := data[name]
		return given && slices.Contains(condition[2:], value)
	case "or":
		return slices.ContainsFunc(condition[1:], inner)
	case "and":
		return !slices.ContainsFunc(condition[1:], func(item any) bool { return !inner(item) })
	case "not":
		return !inner(condition[1])
	}
	return false
}

// work runs what is queued, one script after the other.
func (s *Supervisor) work() {
	for {
		s.mu.Lock()
		if len(s.jobs) == 0 {
			s.working = false
			s.mu.Unlock()
			return
		}
		next := s.jobs[0]
		s.jobs = s.jobs[1:]
		s.mu.Unlock()
		command := exec.Command(next.command[0], next.command[1:]...)
		command.Env = append(os.Environ(), next.env...)
		if err := command.Run(); err != nil {
			s.Log("daemon.err", "procd", fmt.Sprintf("%s: %v", strings.Join(next.command, " "), err))
		}
		s.mu.Lock()
		next.trigger.pending = false
		s.mu.Unlock()
	}
}

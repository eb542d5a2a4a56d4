// SPDX-License-Identifier: GPL-2.0-or-later

package procd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sqmd/lab/ubusd"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// box is a supervisor, a directory and what was logged.
type box struct {
	t *testing.T
	*Supervisor
	dir string
	mu  sync.Mutex
	log strings.Builder
}

func newBox(t *testing.T) *box {
	b := &box{t: t, dir: t.TempDir()}
	b.Supervisor = &Supervisor{Log: func(priority, ident, line string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		fmt.Fprintf(&b.log, "%s %s: %s\n", priority, ident, line)
	}}
	t.Cleanup(b.Close)
	return b
}

func (b *box) logged() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

func (b *box) set(instances map[string]any, triggers ...any) {
	b.t.Helper()
	request := map[string]any{"name": "sqmd", "instances": instances, "triggers": triggers}
	if status := b.Set(request, false); status != ubusd.OK {
		b.t.Fatalf("set: status %d", status)
	}
}

// shell is an instance that runs a line of shell.
func shell(line string, more map[string]any) map[string]any {
	table := map[string]any{"command": []any{"/bin/sh", "-c", line}}
	for name, value := range more {
		table[name] = value
	}
	return map[string]any{"main": table}
}

const forever = "trap 'exit 0' TERM; while :; do sleep 0.02; done"

// pid is that of the one instance, 0 while it does not run.
func (b *box) pid() int {
	service, _ := b.List(nil)["sqmd"].(map[string]any)
	instances, _ := service["instances"].(map[string]any)
	main, _ := instances["main"].(map[string]any)
	pid, _ := main["pid"].(int32)
	return int(pid)
}

func (b *box) await(what string, is func() bool) {
	b.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("never: %s\n%s", what, b.logged())
		}
	}
}

func (b *box) write(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// TestRestartsWhatChanged has an instance run, asks for it again, and looks whether it is another process.
func TestRestartsWhatChanged(t *testing.T) {
	file := func(path string) map[string]any { return map[string]any{"file": []any{path}} }
	tests := map[string]struct {
		before, after map[string]any
		rewrite       bool
		line          string
		restarts      bool
	}{
		"nothing":      {},
		"command":      {line: forever + " ", restarts: true},
		"environment":  {after: map[string]any{"env": map[string]any{"A": "1"}}, restarts: true},
		"file name":    {after: file("/etc/passwd"), restarts: true},
		"file content": {before: file("x"), after: file("x"), rewrite: true, restarts: true},
		"same file":    {before: file("x"), after: file("x")},
		"respawn":      {after: map[string]any{"respawn": []any{"1", "2", "3"}}, restarts: true},
		"jail":         {after: map[string]any{"jail": map[string]any{"name": "sqmd"}}, restarts: true},
		"term_timeout": {after: map[string]any{"term_timeout": int32(9)}, restarts: true},
		"data":         {after: map[string]any{"data": map[string]any{"a": "b"}}},
		"stdout":       {after: map[string]any{"stdout": true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			path := b.write("x", "one")
			for _, table := range []map[string]any{test.before, test.after} {
				if list, _ := table["file"].([]any); len(list) > 0 && list[0] == "x" {
					list[0] = path
				}
			}
			b.set(shell(forever, test.before))
			first := b.pid()
			if first == 0 {
				t.Fatal("not started")
			}
			if test.rewrite {
				b.write("x", "two")
			}
			line := test.line
			if line == "" {
				line = forever
			}
			b.set(shell(line, test.after))
			if test.restarts {
				b.await("another process", func() bool { pid := b.pid(); return pid != 0 && pid != first })
				return
			}
			b.set(shell(line, test.after))
			if pid := b.pid(); pid != first {
				t.Errorf("process %d became %d", first, pid)
			}
		})
	}
}

func TestReloadSignal(t *testing.T) {
	b := newBox(t)
	signalled := filepath.Join(b.dir, "signalled")
	// Not HUP: a shell cannot trap what is ignored, as under nohup.
	line := "trap 'echo >" + signalled + "' USR1; echo >" + filepath.Join(b.dir, "ready") + "; while :; do sleep 0.02; done"
	more := map[string]any{"reload_signal": int32(syscall.SIGUSR1)}
	b.set(shell(line, more))
	b.await("it is ready", func() bool { return exists(filepath.Join(b.dir, "ready")) })
	first := b.pid()
	b.set(shell(line+" ", more))
	b.await("the signal", func() bool { return exists(signalled) })
	if pid := b.pid(); pid != first {
		t.Errorf("process %d became %d", first, pid)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestStopAndStart deletes a service and asks for it again before its process has ended.
func TestStopAndStart(t *testing.T) {
	b := newBox(t)
	b.set(shell("trap 'sleep 0.2; exit 0' TERM; echo >"+filepath.Join(b.dir, "ready")+"; while :; do sleep 0.02; done", nil),
		[]any{"config.change", []any{"run_script", "/bin/true"}})
	b.await("it is ready", func() bool { return exists(filepath.Join(b.dir, "ready")) })
	first := b.pid()
	if status := b.Delete(map[string]any{"name": "sqmd"}); status != ubusd.OK {
		t.Fatalf("delete: status %d", status)
	}
	if b.pid() != first {
		t.Error("delete waited for the process to end")
	}
	b.set(shell(forever, nil))
	b.await("another process", func() bool { pid := b.pid(); return pid != 0 && pid != first })
	if status := b.Delete(map[string]any{"name": "sqmd"}); status != ubusd.OK {
		t.Fatalf("delete: status %d", status)
	}
	b.await("the service is gone", func() bool { return len(b.List(nil)) == 0 })
	if status := b.Delete(map[string]any{"name": "sqmd"}); status != ubusd.NotFound {
		t.Errorf("deleted twice: status %d", status)
	}
	if len(b.triggers) > 0 {
		t.Error("a deleted service still has triggers")
	}
}

func TestKillsWhatDoesNotEnd(t *testing.T) {
	b := newBox(t)
	b.set(shell("trap '' TERM; echo >"+filepath.Join(b.dir, "ready")+"; while :; do sleep 0.02; done", map[string]any{"term_timeout": int32(1)}))
	b.await("it is ready", func() bool { return exists(filepath.Join(b.dir, "ready")) })
	b.set(map[string]any{})
	b.await("it is gone", func() bool { return b.pid() == 0 })
	if !strings.Contains(b.logged(), "sending SIGKILL") {
		t.Errorf("log:\n%s", b.logged())
	}
}

func TestRespawn(t *testing.T) {
	b := newBox(t)
	starts := filepath.Join(b.dir, "starts")
	b.set(shell("echo x >>"+starts, map[string]any{"respawn": []any{"3600", "0", "2"}}))
	b.await("it is given up", func() bool { return strings.Contains(b.logged(), "in a crash loop 3 crashes") })
	text, err := os.ReadFile(starts)
	if err != nil || string(text) != "x\nx\nx\n" {
		t.Errorf("started %q, %v", text, err)
	}
}

func TestOutputIsLogged(t *testing.T) {
	b := newBox(t)
	b.set(shell("echo out; echo err >&2", map[string]any{"stdout": true, "stderr": true}))
	b.await("both lines", func() bool {
		log := b.logged()
		return strings.Contains(log, "daemon.info sh[") && strings.Contains(log, "]: out") && strings.Contains(log, "daemon.err sh[")
	})
}

// TestTriggers sends events and looks which scripts ran, with which environment.
func TestTriggers(t *testing.T) {
	b := newBox(t)
	ran := filepath.Join(b.dir, "ran")
	script := b.write("script", "echo $1 $PARAM_type $PARAM_package$PARAM_interface >>"+ran+"\n")
	when := func(event, name, value, word string, more ...any) []any {
		return append([]any{event, []any{"if", []any{"eq", name, value}, []any{"run_script", "/bin/sh", script, word}}}, more...)
	}
	b.set(nil,
		when("config.change", "package", "sqm", "config", int32(100)),
		when("interface.*", "interface", "wan", "link", int32(50)),
		[]any{"interface.*.up", []any{[]any{"run_script", "/bin/sh", script, "raw"}}, int32(0)})
	send := func(name, key, value string) {
		b.Event(map[string]any{"type": name, "data": map[string]any{key: value}})
	}
	send("config.change", "package", "sqm")
	send("config.change", "package", "sqm")
	send("interface.update", "interface", "lan")
	read := func() string { text, _ := os.ReadFile(ran); return string(text) }
	b.await("two scripts", func() bool { return strings.Count(read(), "\n") == 2 })
	if got := read(); got != "raw interface.*.up lan\nconfig config.change sqm\n" {
		t.Errorf("ran:\n%s", got)
	}
	send("interface.down", "interface", "wan")
	b.await("the link's", func() bool { return strings.Contains(read(), "link interface.* wan") })
}

func TestConditions(t *testing.T) {
	data := map[string]any{"a": "1"}
	a, b := []any{"eq", "a", "1", "2"}, []any{"eq", "b", "1"}
	tests := map[string]struct {
		condition []any
		want      bool
	}{
		"equal":   {a, true},
		"absent":  {b, false},
		"or":      {[]any{"or", b, a}, true},
		"and":     {[]any{"and", a, b}, false},
		"not":     {[]any{"not", b}, true},
		"unknown": {[]any{"like", "a"}, false},
		"empty":   {nil, false},
	}
	for name, test := range tests {
		if got := holds(test.condition, data); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

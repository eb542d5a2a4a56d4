// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sqmd/lab/ubusd"
	"sqmd/ubus"
)

// result is how a program ended.
type result struct {
	code     int
	out, err string
}

func call(input string, args ...string) result {
	var out, complaints bytes.Buffer
	code := run(box{strings.NewReader(input), &out, &complaints}, args)
	return result{code, out.String(), complaints.String()}
}

func TestDispatch(t *testing.T) {
	for _, args := range [][]string{{"sqmbox"}, {"sqmbox", "fly"}, {"/sbin/fly", "uci"}} {
		got := call("", args...)
		if len(args) == 2 && got.code != 2 || args[0] == "sqmbox" && !strings.Contains(got.err, "usage: sqmbox apk|") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	for _, name := range []string{"apk", "config-vars", "flock", "ifup", "lock", "opkg", "procd-ask", "ubus", "uci"} {
		for _, args := range [][]string{{"sqmbox", name}, {"/sbin/" + name}} {
			if got := call("", args...); got.code == 0 {
				t.Errorf("%v without arguments: %+v", args, got)
			}
		}
	}
}

func TestUCI(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sqm"), "config queue 'wan'\n\toption enabled '1'\n")
	uci := func(args ...string) result {
		return call("set sqm.wan.upload='100'\n# no more\nadd sqm class\n", append([]string{"uci", "-c", dir, "-t", dir + "/changes"}, args...)...)
	}
	for _, step := range []struct {
		args []string
		want result
	}{
		{[]string{"get", "sqm.wan.enabled"}, result{0, "1\n", ""}},
		{[]string{"get", "sqm.wan.none"}, result{1, "", "uci: Entry not found\n"}},
		{[]string{"-q", "get", "sqm.wan.none"}, result{1, "", ""}},
		{[]string{"get", "sqm.."}, result{1, "", "uci: Invalid argument\n"}},
		{[]string{"set", "sqm.wan.enabled"}, result{2, "", "uci: wrong usage\n"}},
		{[]string{"set", "sqm.wan.enabled=0"}, result{}},
		{[]string{"changes"}, result{0, "sqm.wan.enabled='0'\n", ""}},
		{[]string{"batch"}, result{0, "cfg02", ""}},
		{[]string{"commit", "sqm"}, result{}},
		{[]string{"changes", "sqm"}, result{}},
		{[]string{"show"}, result{0, "sqm.wan=queue\nsqm.wan.enabled='0'\nsqm.wan.upload='100'\nsqm.@class[0]=class\n", ""}},
		{[]string{"delete", "sqm.@class[0]"}, result{}},
		{[]string{"revert", "sqm"}, result{}},
		{[]string{"fly", "sqm"}, result{2, "", "uci: fly: wrong usage\n"}},
	} {
		got := uci(step.args...)
		if step.args[0] == "batch" && strings.HasPrefix(got.out, step.want.out) {
			got.out = step.want.out
		}
		if got != step.want {
			t.Errorf("%v: %+v, want %+v", step.args, got, step.want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestUbus(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "ubus.sock")
	bus, err := ubusd.Start(socket)
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	echo := func(_ context.Context, args map[string]any) (map[string]any, ubusd.Status) { return args, ubusd.OK }
	if err := bus.Offer("echo", ubusd.Method{Name: "echo", Answer: echo}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want result
	}{
		{[]string{"list"}, result{0, "echo\n", ""}},
		{[]string{"-v", "list", "echo"}, result{0, "echo\n\t\"echo\"\n", ""}},
		{[]string{"list", "none"}, result{4, "", "Command failed: not found\n"}},
		{[]string{"-S", "call", "echo", "echo", `{"n":5,"list":["a",{"b":true}]}`}, result{0, `{"list":["a",{"b":true}],"n":5}` + "\n", ""}},
		{[]string{"call", "echo", "echo", `{"n":5}`}, result{0, "{\n\t\"n\": 5\n}\n", ""}},
		{[]string{"call", "echo", "echo", `no`}, result{2, "", "Command failed: invalid argument\n"}},
		{[]string{"call", "none", "echo"}, result{4, "", "Command failed: not found\n"}},
		{[]string{"send", "hello", `{"n":5}`}, result{}},
		{[]string{"wait_for", "echo"}, result{}},
		{[]string{"-t", "1", "wait_for", "none"}, result{7, "", "Command failed: timeout\n"}},
		{[]string{"fly"}, result{2, "", "ubus: fly: wrong usage\n"}},
	} {
		got := call("", append([]string{"ubus", "-s", socket}, test.args...)...)
		if !strings.EqualFold(got.err, test.want.err) && test.want.code != 7 || got.code != test.want.code || got.out != test.want.out {
			t.Errorf("%v: %+v, want %+v", test.args, got, test.want)
		}
	}
	if got := call("", "ubus", "-s", socket+".none", "list"); got.code != 255 {
		t.Errorf("without a bus: %+v", got)
	}
}

func TestStateOf(t *testing.T) {
	running, stopped := ubus.Table{"running": true}, ubus.Table{"running": false}
	tests := map[string]struct {
		service  ubus.Table
		instance string
		want     string
		code     int
	}{
		"unknown":       {nil, "", "inactive", 3},
		"no instances":  {ubus.Table{}, "", activeEmpty, 0},
		"running":       {ubus.Table{"instances": ubus.Table{"a": running}}, "", "running", 0},
		"partly":        {ubus.Table{"instances": ubus.Table{"a": running, "b": stopped}}, "*", "running (1/2)", 0},
		"stopped":       {ubus.Table{"instances": ubus.Table{"b": stopped}}, "", "not running", 5},
		"the other one": {ubus.Table{"instances": ubus.Table{"a": running, "b": stopped}}, "b", "not running", 5},
		"no such":       {ubus.Table{"instances": ubus.Table{"a": running}}, "c", "unknown instance c", 4},
	}
	for name, test := range tests {
		reply := ubus.Table{}
		if test.service != nil {
			reply["sqmd"] = test.service
		}
		if got, code := stateOf(reply, "sqmd", test.instance); got != test.want || code != test.code {
			t.Errorf("%s: %q, %d", name, got, code)
		}
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, step := range []struct {
		args []string
		want int
	}{{[]string{path}, 0}, {[]string{"-n", path}, 1}, {[]string{"-u", path}, 0}, {[]string{"-n", path}, 0}} {
		if got := call("", append([]string{"lock"}, step.args...)...); got.code != step.want {
			t.Errorf("lock %v: %+v", step.args, got)
		}
	}
}

// TestFlock takes a lock through one descriptor, which another cannot take meanwhile.
func TestFlock(t *testing.T) {
	if os.Getenv("SQMBOX_TEST") != "" {
		os.Exit(call("", strings.Fields(os.Getenv("SQMBOX_TEST"))...).code)
	}
	path := filepath.Join(t.TempDir(), "x")
	open := func() *os.File {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	first, second := open(), open()
	flock := func(file *os.File, args string) int {
		command := exec.Command(os.Args[0], "-test.run=^TestFlock$")
		command.Env = append(os.Environ(), "SQMBOX_TEST=flock "+args+" 3")
		command.ExtraFiles = []*os.File{file}
		_ = command.Run() // the code tells
		return command.ProcessState.ExitCode()
	}
	for _, step := range []struct {
		file *os.File
		args string
		want int
	}{{first, "", 0}, {first, "-n", 0}, {second, "-n", 1}, {first, "-u", 0}, {second, "-n", 0}} {
		if got := flock(step.file, step.args); got != step.want {
			t.Errorf("flock %s: %d, want %d", step.args, got, step.want)
		}
	}
}

func TestPackageManagers(t *testing.T) {
	root := t.TempDir()
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"opkg", "-o", root, "list-installed"}, 0},
		{[]string{"opkg", "-o", root, "remove", "sqmd"}, 255},
		{[]string{"opkg", "-o", root, "install", "/nonexistent"}, 255},
		{[]string{"opkg", "-o", root, "fly"}, 255},
		{[]string{"apk", "--root", root, "list", "-I"}, 0},
		{[]string{"apk", "--root", root, "del", "sqmd"}, 1},
		{[]string{"apk", "--root", root, "add", "--allow-untrusted", os.DevNull}, 1},
	} {
		if got := call("", test.args...); got.code != test.code {
			t.Errorf("%v: %+v", test.args, got)
		}
	}
}

func TestTC(t *testing.T) {
	if got := call("", "tc", "qdisc", "add", "dev", "none0", "root", "cake"); got.code == 0 || got.err == "" {
		t.Errorf("%+v", got)
	}
}

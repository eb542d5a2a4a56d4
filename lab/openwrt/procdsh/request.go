// SPDX-License-Identifier: GPL-2.0-or-later

// Package procdsh makes requests to procd of what init scripts say with the functions of procd.sh. The stand-in of that
// file writes each call down as it comes, and this package gives it the form that procd.sh itself would send
// (package/system/procd/files/procd.sh of https://git.openwrt.org/openwrt/openwrt.git).
package procdsh

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// reloadDelay is how long procd waits after an event for more of the same, unless a script says otherwise, in
// milliseconds.
const reloadDelay = 1000

// request is a request as far as it is made.
type request struct {
	name, script string
	instances    map[string]any
	triggers     []any
	data         map[string]any
	instance     map[string]any // the open one
	delay        int32
}

// call is a function of procd.sh with its arguments.
type call struct {
	name string
	args []string
}

// Request makes a request of what a script said: words of which each call's number, then its name and its arguments, all
// ended by NUL.
func Request(said string) (map[string]any, error) {
	r := &request{instances: map[string]any{}, data: map[string]any{}, delay: reloadDelay}
	calls, err := split(said)
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		if err := r.take(c); err != nil {
			return nil, fmt.Errorf("procd_%s %s: %w", c.name, strings.Join(c.args, " "), err)
		}
	}
	if r.name == "" {
		return nil, errors.New("no service was opened")
	}
	table := map[string]any{"name": r.name, "instances": r.instances, "triggers": r.triggers}
	if r.script != "" {
		table["script"] = r.script
	}
	if len(r.data) > 0 {
		table["data"] = r.data
	}
	return table, nil
}

func split(said string) (calls []call, err error) {
	words := strings.Split(said, "\x00")
	for len(words) > 1 {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 1 || n >= len(words) {
			return nil, fmt.Errorf("%q is no number of words that follow", words[0])
		}
		calls = append(calls, call{words[1], words[2 : n+1]})
		words = words[n+1:]
	}
	return calls, nil
}

var (
	errArguments = errors.New("too few arguments")
	errNoOpen    = errors.New("no instance is open")
)

func (r *request) take(c call) error {
	first := ""
	if len(c.args) > 0 {
		first = c.args[0]
	}
	switch c.name {
	case "open_service":
		r.name = first
		if len(c.args) > 1 {
			r.script = c.args[1]
		}
	case "delay":
		n, err := strconv.ParseInt(first, 10, 32)
		r.delay = int32(n)
		return err
	case "open_instance":
		if first == "" {
			first = fmt.Sprintf("instance%d", len(r.instances)+1)
		}
		r.instance = map[string]any{}
		r.instances[first] = r.instance
	case "close_instance":
		r.instance = nil
	case "set_param", "append_param", "add_jail", "add_jail_mount", "add_jail_mount_rw":
		if r.instance == nil {
			return errNoOpen
		}
		if len(c.args) == 0 {
			return errArguments
		}
		return r.describe(c)
	default:
		return r.trigger(c)
	}
	return nil
}

// describe adds to the open instance.
func (r *request) describe(c call) error {
	switch c.name {
	case "add_jail":
		r.instance["jail"] = jail(c.args)
		return nil
	case "add_jail_mount", "add_jail_mount_rw":
		mode := "0"
		if c.name == "add_jail_mount_rw" {
			mode = "1"
		}
		table, _ := r.instance["jail"].(map[string]any)
		mounts, _ := table["mount"].(map[string]any)
		if mounts == nil {
			return nil // as procd.sh: without a jail there is nothing to mount in
		}
		for _, path := range c.args {
			mounts[path] = mode
		}
		return nil
	}
	if c.name == "set_param" {
		delete(r.instance, c.args[0])
	}
	return r.param(c.args[0], c.args[1:])
}

func jail(args []string) map[string]any {
	table := map[string]any{"name": args[0], "mount": map[string]any{}}
	known := []string{"log", "ubus", "udebug", "procfs", "sysfs", "ronly", "requirejail", "netns", "userns", "cgroupsns"}
	for _, word := range args[1:] {
		if slices.Contains(known, word) {
			table[word] = true
		}
	}
	return table
}

// param sets a parameter or, if it is a list or a table and there, adds to it.
func (r *request) param(name string, values []string) error {
	in := r.instance
	switch name {
	case "command", "netdev", "file", "respawn", "watch", "watchdog", "error":
		list, _ := in[name].([]any)
		if list == nil {
			list = []any{}
		}
		for _, v := range values {
			list = append(list, v)
		}
		in[name] = list
		return nil
	case "env", "data", "limits":
		table, _ := in[name].(map[string]any)
		if table == nil {
			table = map[string]any{}
		}
		for _, v := range values {
			key, value, _ := strings.Cut(v, "=")
			table[key] = value
		}
		in[name] = table
		return nil
	}
	if len(values) == 0 {
		return errArguments
	}
	value := values[0]
	switch name {
	case "nice", "term_timeout":
		n, err := strconv.ParseInt(value, 10, 32)
		in[name] = int32(n)
		return err
	case "reload_signal":
		n, err := signal(value)
		in[name] = n
		return err
	case "stdout", "stderr", "no_new_privs":
		in[name] = value == "1"
	case "pidfile", "user", "group", "seccomp", "capabilities", "facility", "extroot", "overlaydir", "tmpoverlaysize", "vrf":
		in[name] = value
	}
	return nil // as procd.sh: what it does not know it drops
}

// signal reads a number or a name, with or without SIG.
func signal(name string) (int32, error) {
	if n, err := strconv.ParseInt(name, 10, 32); err == nil {
		return int32(n), nil
	}
	n := unix.SignalNum("SIG" + strings.TrimPrefix(name, "SIG"))
	if n == 0 {
		return 0, fmt.Errorf("no signal has the name %q", name)
	}
	return int32(n), nil
}

// trigger adds what is to be run on an event.
func (r *request) trigger(c call) error {
	if len(c.args) < 2 {
		return errArguments
	}
	switch c.name {
	case "add_config_trigger":
		r.when(c.args[0], "package", c.args[1], c.args[2:])
	case "add_interface_trigger":
		r.when(c.args[0], "interface", c.args[1], c.args[2:])
	case "add_data_trigger":
		r.when("service.data.update", "name", c.args[0], c.args[1:])
	case "add_raw_trigger":
		n, err := strconv.ParseInt(c.args[1], 10, 32)
		if err != nil {
			return err
		}
		r.triggers = append(r.triggers, []any{c.args[0], []any{runScript(c.args[2:])}, int32(n)})
	default:
		return errors.New("the stand-in of procd.sh does not know this")
	}
	return nil
}

func (r *request) when(event, variable, value string, script []string) {
	t := []any{event, []any{"if", []any{"eq", variable, value}, runScript(script)}}
	if r.delay > 0 {
		t = append(t, r.delay)
	}
	r.triggers = append(r.triggers, t)
}

func runScript(words []string) []any {
	list := []any{"run_script"}
	for _, w := range words {
		list = append(list, w)
	}
	return list
}

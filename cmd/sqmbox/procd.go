// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"sqmd/lab/openwrt"
	"sqmd/lab/openwrt/procd"
	"sqmd/lab/ubusd"
)

// Names and places of what procd's stand-in makes.
const (
	busSocket = "/var/run/ubus/ubus.sock"
	// netifdObject stands for netifd where that is told something.
	netifdObject = "lab.netifd"
)

// procdProgram is the bus, procd and netifd in one process. With -boot it runs the enabled init scripts first. SIGTERM
// shuts the system down.
func procdProgram(b box, args []string) error {
	flags := flag.NewFlagSet("procd", flag.ContinueOnError)
	flags.SetOutput(b.err)
	boot := flags.Bool("boot", false, "")
	if flags.Parse(args) != nil || flags.NArg() > 0 {
		return errUsage
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	for _, dir := range []string{filepath.Dir(busSocket), filepath.Dir(openwrt.Log), "/var/lock"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	bus, err := ubusd.Start(busSocket)
	if err != nil {
		return err
	}
	supervisor := &procd.Supervisor{Log: func(priority, ident, line string) { _ = log(priority, ident, line) }}
	requests := &requests{}
	if err := supervisor.Serve(bus, requests.record); err != nil {
		return err
	}
	if err := serveNetifd(bus, supervisor); err != nil {
		return err
	}
	if *boot {
		runScripts("S", "boot")
	}
	if err := os.WriteFile(openwrt.Ready, nil, 0o644); err != nil {
		return err
	}
	<-stop.Done()
	runScripts("K", "shutdown")
	supervisor.Close()
	return bus.Close()
}

// requests is the log of what procd was asked.
type requests struct{ mu sync.Mutex }

func (r *requests) record(method string, request map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, err := json.Marshal(openwrt.Request{Method: method, Request: request})
	if err != nil {
		line = []byte(err.Error())
	}
	file, err := os.OpenFile(openwrt.Requests, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = file.Write(append(line, '\n'))
}

// runScripts runs the init scripts that are linked in rc.d under names with that letter, in their order.
func runScripts(letter, action string) {
	links, _ := filepath.Glob("/etc/rc.d/" + letter + "*")
	for _, link := range links {
		command := exec.Command(link, action)
		output, err := command.CombinedOutput()
		if len(output) > 0 || err != nil {
			_ = log("daemon.info", filepath.Base(link), fmt.Sprintf("%s: %v: %s", action, err, output))
		}
	}
}

// serveNetifd offers a method that says which device a network is up on, "" for none. Like netifd it then tells procd
// and runs the hotplug scripts.
func serveNetifd(bus *ubusd.Server, supervisor *procd.Supervisor) error {
	var one sync.Mutex
	return bus.Offer(netifdObject, ubusd.Method{Name: "network", Answer: func(_ context.Context, args map[string]any) (map[string]any, ubusd.Status) {
		one.Lock()
		defer one.Unlock()
		name, _ := args["interface"].(string)
		device, _ := args["device"].(string)
		if name == "" {
			return nil, ubusd.InvalidArgument
		}
		if err := bus.Network(name, device); err != nil {
			return nil, ubusd.SystemError
		}
		event, action := "interface.update", "ifup"
		if device == "" {
			event, action = "interface.down", "ifdown"
		}
		supervisor.Event(map[string]any{"type": event, "data": map[string]any{"interface": name}})
		command := exec.Command("/sbin/hotplug-call", "iface")
		command.Env = append(os.Environ(), "ACTION="+action, "INTERFACE="+name, "DEVICE="+device)
		if output, _ := command.CombinedOutput(); len(output) > 0 {
			_ = log("daemon.notice", "hotplug", string(output))
		}
		return nil, ubusd.OK
	}})
}

// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"sqmd/lab/openwrt/procdsh"
	"sqmd/ubus"
)

// askPatience is how long a script waits for procd, or for the hotplug scripts that netifd runs first.
const askPatience = 5 * time.Minute

// procdAsk is what the stand-in of procd.sh leaves to a program:
//
//	procd-ask set|add                        send what the script said, which comes as input
//	procd-ask delete SERVICE [INSTANCE]
//	procd-ask signal SERVICE INSTANCE [SIGNAL]   INSTANCE may be * or empty
//	procd-ask running SERVICE [INSTANCE]     exit code 0 if a process runs
//	procd-ask status SERVICE [INSTANCE]      prints it, too
func procdAsk(b box, args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	verb, args := args[0], append(args[1:], "", "", "")
	request := ubus.Table{"name": args[0]}
	if args[1] != "" && args[1] != "*" {
		request["instance"] = args[1]
	}
	switch verb {
	case "set", "add":
		said, err := io.ReadAll(b.in)
		if err != nil {
			return err
		}
		if request, err = procdsh.Request(string(said)); err != nil {
			return err
		}
	case "delete":
	case "signal":
		if n, err := strconv.ParseInt(args[2], 10, 32); err == nil {
			request["signal"] = int32(n)
		}
	case "running", "status":
		return serviceState(b, verb, args[0], args[1])
	default:
		return errUsage
	}
	_, err := ask("service", verb, request)
	return ubusError(b, err)
}

func ask(object, method string, request ubus.Table) (ubus.Table, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askPatience)
	defer cancel()
	c, err := ubus.Dial(ctx, "")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Call(ctx, object, method, request)
}

// Exit codes of an init script's status.
const (
	exitInactive   = 3
	exitNoInstance = 4
	exitNotRunning = 5
)

func serviceState(b box, verb, service, instance string) error {
	reply, err := ask("service", "list", ubus.Table{"name": service})
	if err != nil {
		return ubusError(b, err)
	}
	text, code := stateOf(reply, service, instance)
	if verb == "status" {
		fmt.Fprintln(b.out, text)
	}
	if verb == "running" && text == activeEmpty {
		code = exitNotRunning
	}
	if code != 0 {
		return exitCode(code)
	}
	return nil
}

const activeEmpty = "active with no instances"

// stateOf words the state of a service.
func stateOf(reply ubus.Table, service, instance string) (text string, code int) {
	of, known := reply[service].(ubus.Table)
	if !known {
		return "inactive", exitInactive
	}
	instances, _ := of["instances"].(ubus.Table)
	if len(instances) == 0 && instance == "" {
		return activeEmpty, 0
	}
	all, running := 0, 0
	for name, value := range instances {
		if instance != "" && instance != "*" && name != instance {
			continue
		}
		all++
		if table, _ := value.(ubus.Table); table["running"] == true {
			running++
		}
	}
	switch {
	case all == 0:
		return "unknown instance " + instance, exitNoInstance
	case running == 0:
		return "not running", exitNotRunning
	case running < all:
		return fmt.Sprintf("running (%d/%d)", running, all), 0
	}
	return "running", 0
}

// SPDX-License-Identifier: GPL-2.0-or-later

// Command guestinit is the first process of a malta guest: it prepares the system, runs one command and tells the host
// how it ended.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab/malta/wire"
)

// guestPath is where programs are looked for, in the order of OpenWrt.
const guestPath = "/usr/sbin:/usr/bin:/sbin:/bin"

// patience is how long the host may take to stop a guest that is done.
const patience = 10 * time.Second

func main() {
	os.Setenv("PATH", guestPath)
	host, err := start()
	if err != nil {
		fmt.Fprintf(os.Stderr, "guest init: %v\n", err)
		reboot()
	}
	if code, err := work(host); err != nil {
		_ = host.Send(wire.Failed, []byte(err.Error()))
	} else {
		_ = host.Send(wire.Exited, []byte(strconv.Itoa(code)))
	}
	time.Sleep(patience)
	reboot()
}

// reboot ends the guest: the board has no power switch that works, but QEMU takes a restart for the end.
func reboot() {
	err := unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
	fmt.Fprintf(os.Stderr, "guest init: reboot: %v\n", err)
	select {}
}

// start does what is needed to talk to the host.
func start() (*wire.Sender, error) {
	if err := mountSystem(); err != nil {
		return nil, err
	}
	spec, err := readSpec()
	if err != nil {
		return nil, err
	}
	if err := loadModules(spec.Modules); err != nil {
		return nil, err
	}
	port, err := openPort(wire.PortName)
	if err != nil {
		return nil, err
	}
	host := wire.NewSender(port)
	go func() {
		for range time.Tick(wire.Pulse) {
			_ = host.Send(wire.Alive, nil) // a host that is gone ends the guest
		}
	}()
	return host, nil
}

// work prepares the rest, runs the command and returns its exit code.
func work(host *wire.Sender) (int, error) {
	spec, err := readSpec()
	if err != nil {
		return 0, err
	}
	if err := installBusybox(); err != nil {
		return 0, err
	}
	for _, s := range spec.Shares {
		if err := mountShare(s); err != nil {
			return 0, err
		}
	}
	if err := loopbackUp(); err != nil {
		return 0, err
	}
	if err := host.Send(wire.Started, nil); err != nil {
		return 0, err
	}
	code, err := runCommand(spec, host)
	unix.Sync()
	return code, err
}

func readSpec() (*wire.Spec, error) {
	text, err := os.ReadFile(wire.SpecPath)
	if err != nil {
		return nil, fmt.Errorf("read what to do: %w", err)
	}
	spec := new(wire.Spec)
	if err := json.Unmarshal(text, spec); err != nil {
		return nil, fmt.Errorf("read what to do: %w", err)
	}
	return spec, nil
}

// forward sends what is read until the end.
func forward(host *wire.Sender, kind wire.Kind, from io.Reader) {
	_, _ = io.Copy(host.Writer(kind), from)
}

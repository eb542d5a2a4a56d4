// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"sqmd/lab"
	"sqmd/lab/command"
	"sqmd/lab/luci"
)

// serveOptions are what serve is told.
type serveOptions struct {
	address, app, source, config string
	program, box, busybox        string
	timeout                      time.Duration
	traffic                      int
}

func serveCommand(ctx context.Context, args []string) error {
	var o serveOptions
	flags := flag.NewFlagSet(name+" serve", flag.ContinueOnError)
	flags.StringVar(&o.address, "address", "127.0.0.1:8080", "where to listen; port 0 takes any that is free")
	flags.StringVar(&o.source, "source", ".", "the repository")
	flags.StringVar(&o.app, "app", "", "the folder of the pages (default luci-app in the repository)")
	flags.StringVar(&o.config, "config", "", "file that becomes /etc/config/sqm")
	flags.StringVar(&o.program, "sqmd", "", "sqmd binary, statically linked")
	flags.StringVar(&o.box, "box", "", "sqmbox binary, statically linked")
	flags.StringVar(&o.busybox, "busybox", "/bin/busybox", "static busybox")
	flags.IntVar(&o.traffic, "traffic", 0, "connections that load the line, each way")
	flags.DurationVar(&o.timeout, "timeout", 24*time.Hour, "longest time to serve")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if o.program == "" || o.box == "" || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, name+" serve: needs --sqmd and --box, and no arguments")
		return command.ErrUsage
	}
	if o.app == "" {
		o.app = filepath.Join(o.source, "luci-app")
	}
	return serve(ctx, o)
}

// serve prints the address as a line of its own, "listening on URL", once pages can be asked for.
func serve(ctx context.Context, o serveOptions) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	guest, err := o.guest()
	if err != nil {
		return err
	}
	machine, err := luci.StartMachine(ctx, guest)
	if err != nil {
		return err
	}
	defer machine.Close()
	if err := o.prepare(ctx, machine); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.address)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	site := &luci.Server{App: o.app, Router: machine}
	server := &http.Server{Handler: site.Handler(), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	defer server.Close()
	fmt.Printf("listening on http://%s/\n", listener.Addr())
	select {
	case err = <-failed:
	case <-machine.Ended():
		err = errors.New("the router is gone")
	case <-ctx.Done():
		err = nil // asked to
	}
	return err
}

func (o serveOptions) guest() (lab.Guest, error) {
	self, err := os.Executable()
	if err != nil {
		return lab.Guest{}, fmt.Errorf("find own executable: %w", err)
	}
	inside := []string{self, insideGuest}
	for _, path := range []string{o.program, o.box, o.busybox, o.source} {
		if path, err = filepath.Abs(path); err != nil {
			return lab.Guest{}, err
		}
		inside = append(inside, path)
	}
	return lab.Guest{Command: inside, RealTime: true, Timeout: o.timeout + time.Minute, Stderr: os.Stderr}, nil
}

// prepare gives the router the configuration and the load that were asked for.
func (o serveOptions) prepare(ctx context.Context, machine *luci.Machine) error {
	if o.config != "" {
		text, err := os.ReadFile(o.config)
		if err != nil {
			return fmt.Errorf("read configuration: %w", err)
		}
		if err := machine.Control(ctx, "reset", map[string]any{"SQM": string(text)}, nil); err != nil {
			return err
		}
	}
	if o.traffic == 0 {
		return nil
	}
	return machine.Control(ctx, "traffic", map[string]any{"Flows": o.traffic}, nil)
}

// SPDX-License-Identifier: GPL-2.0-or-later

package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"sqmd/lab"
	"sqmd/lab/luci/wire"
	"sqmd/lab/openwrt"
	"sqmd/lab/openwrt/settings"
	"sqmd/release/recipe"
	"sqmd/ubus"
)

// Options say what the router is made of.
type Options struct {
	// Dir becomes the router's root directory.
	Dir string
	// Busybox, Box and Program are the paths of a static busybox, of sqmbox, and of sqmd.
	Busybox, Box, Program string
	// Source is the repository, of which the package's files are installed.
	Source string
	// Network is what the router's namespace, in which this process is, belongs to.
	Network *lab.Network
}

// Router is a router that has booted. Its methods may be called from several goroutines at once.
type Router struct {
	root    *openwrt.Root
	network *lab.Network
	bus     *ubus.Client

	mu       sync.Mutex // of all that changes a configuration
	rollback *rollback  // nil while nothing waits to be confirmed
	load     load
}

// patience bounds what is done in the router, in a guest on a busy machine.
const patience = 60 * time.Second

// networks is /etc/config/network.
const networks = `
config interface 'loopback'
	option device 'lo'
	option proto 'static'

config interface 'lan'
	option device 'lan1'
	option proto 'static'

config interface 'wan'
	option device '%s'
	option proto 'dhcp'
`

// Boot makes a router and starts it.
func Boot(ctx context.Context, o Options) (*Router, error) {
	root, err := openwrt.New(o.Dir, openwrt.Options{Busybox: o.Busybox, Box: o.Box, Arch: "x86_64"})
	if err != nil {
		return nil, err
	}
	r := &Router{root: root, network: o.Network}
	for _, step := range []func() error{
		func() error { return r.install(o) },
		func() error { return root.Write("/etc/config/network", fmt.Sprintf(networks, o.Network.WAN), 0o644) },
		func() error { return root.Boot(ctx) },
		func() error { return root.Write("/var/run/config.md5", "{}", 0o600) },
		func() error { return r.shell(ctx, "reload_config") },
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("boot the router: %w", err)
		}
	}
	if r.bus, err = ubus.Dial(context.Background(), root.Path("/var/run/ubus/ubus.sock")); err != nil {
		return nil, fmt.Errorf("boot the router: %w", err)
	}
	return r, nil
}

// install puts the package's files into the root and enables what it brings, as after its installation.
func (r *Router) install(o Options) error {
	program, err := os.ReadFile(o.Program)
	if err != nil {
		return err
	}
	all, err := recipe.Read(os.DirFS(o.Source), "package")
	if err != nil {
		return err
	}
	for _, p := range all.Packages {
		if p.Program == "" {
			continue
		}
		for _, file := range p.Complete("0", "x86_64", time.Unix(1e9, 0), program).Files {
			if err := r.root.Write(file.Path, string(file.Content), file.Mode|fs.FileMode(0o200)); err != nil {
				return err
			}
		}
	}
	return os.Symlink("../init.d/sqmd", r.root.Path("/etc/rc.d/S49sqmd"))
}

// Close shuts the router down.
func (r *Router) Close() error {
	r.load.stop()
	r.bus.Close()
	return r.root.Shutdown()
}

// shell runs a line in the router, which has to succeed.
func (r *Router) shell(ctx context.Context, line string) error {
	output, err := r.root.Run(ctx, "/bin/sh", "-c", line)
	if err == nil && output.Code != 0 {
		err = fmt.Errorf("%s: exit code %d: %s", line, output.Code, strings.TrimSpace(output.Text))
	}
	return err
}

// Answer answers a call of any object.
func (r *Router) Answer(call wire.Call) wire.Answer {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	reply, err := r.call(ctx, call)
	answer := wire.Answer{}
	if err != nil {
		answer.Code = codeOf(err)
		if call.Object == labObject {
			reply = map[string]any{"error": err.Error()}
		}
	}
	if reply != nil {
		if answer.Reply, err = json.Marshal(reply); err != nil {
			answer.Code = int(ubus.StatusUnknown)
		}
	}
	return answer
}

func (r *Router) call(ctx context.Context, call wire.Call) (any, error) {
	switch call.Object {
	case labObject:
		return r.control(ctx, call)
	case "uci":
		return r.uci(ctx, call)
	case "rc":
		return r.rc(ctx, call)
	}
	args, err := tableOf(call.Args)
	if err != nil {
		return nil, err
	}
	reply, err := r.bus.Call(ctx, call.Object, call.Method, args)
	if reply == nil {
		return nil, err
	}
	return reply, err
}

func tableOf(args json.RawMessage) (ubus.Table, error) {
	if len(args) == 0 {
		return ubus.Table{}, nil
	}
	table, err := ubus.TableOf(args)
	if err != nil {
		return nil, ubus.StatusInvalidArgument
	}
	return table, nil
}

// codeOf gives the status that an error is on the bus.
func codeOf(err error) int {
	var status ubus.Status
	switch {
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, context.DeadlineExceeded):
		return int(ubus.StatusTimeout)
	case errors.Is(err, settings.ErrNotFound):
		return int(ubus.StatusNotFound)
	case errors.Is(err, settings.ErrInvalid):
		return int(ubus.StatusInvalidArgument)
	}
	return int(ubus.StatusUnknown)
}

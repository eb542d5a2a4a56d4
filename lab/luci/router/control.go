// SPDX-License-Identifier: GPL-2.0-or-later

package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sqmd/lab/luci/wire"
	"sqmd/lab/openwrt"
	"sqmd/ubus"
)

// labObject is the name of the object for tests. It is no object of a real router, and a web server gives no session
// access to it.
const labObject = "lab"

// controlArgs are the arguments of its methods.
type controlArgs struct {
	// Config names a file of /etc/config, Text is what is to be in it.
	Config, Text string
	// SQM and SQMD are the two configurations after a reset.
	SQM, SQMD string
	// Line is for the guest's shell, outside the router's root but in its network.
	Line string
	// Flows is how many connections carry what they can, in each direction.
	Flows int
}

// control makes states that tests need:
//
//	reset    {SQM, SQMD}     the daemon anew, with these configurations, nothing shaped before and no change that waits
//	read     {Config}        the text of a configuration
//	write    {Config, Text}  the same changed, and procd told
//	stop     {}              the daemon ends, and leaves what is shaped
//	start    {}              the daemon runs; it has answered on the bus when this returns
//	run      {Line}          the output of a line of shell
//	traffic  {Flows}         load through the router, until it is called with 0
func (r *Router) control(ctx context.Context, call wire.Call) (any, error) {
	var a controlArgs
	if len(call.Args) > 0 {
		if err := json.Unmarshal(call.Args, &a); err != nil {
			return nil, fmt.Errorf("%w: %w", ubus.StatusInvalidArgument, err)
		}
	}
	if call.Method == "run" {
		return run(ctx, a.Line), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch call.Method {
	case "reset":
		return nil, r.reset(ctx, a)
	case "read":
		text, err := os.ReadFile(filepath.Join(r.root.Path("/etc/config"), filepath.Base(a.Config)))
		return map[string]any{"text": string(text)}, err
	case "write":
		if err := r.writeConfig(filepath.Base(a.Config), []byte(a.Text)); err != nil {
			return nil, err
		}
		return nil, r.shell(ctx, "reload_config")
	case "stop":
		return nil, r.stopDaemon(ctx)
	case "start":
		return nil, r.startDaemon(ctx)
	case "traffic":
		return nil, r.load.set(r.network, a.Flows)
	}
	return nil, ubus.StatusMethodNotFound
}

func run(ctx context.Context, line string) map[string]any {
	text, err := exec.CommandContext(ctx, "/bin/sh", "-c", line).CombinedOutput()
	return map[string]any{"text": string(text), "failed": err != nil}
}

// stopDaemon ends the daemon without what the init script does before, and waits for its end.
func (r *Router) stopDaemon(ctx context.Context) error {
	_, err := r.bus.Call(ctx, "service", "delete", ubus.Table{"name": "sqmd"})
	if err != nil && !errors.Is(err, ubus.StatusNotFound) {
		return err
	}
	return r.await(ctx, "the daemon ends", func() bool {
		return !slices.ContainsFunc(r.root.Processes(), func(p openwrt.Process) bool { return strings.HasPrefix(p.Command, "/usr/sbin/sqmd") })
	})
}

func (r *Router) startDaemon(ctx context.Context) error {
	if err := r.shell(ctx, "/etc/init.d/sqmd start"); err != nil {
		return err
	}
	return r.await(ctx, "the daemon answers", func() bool { return r.onBus(ctx) })
}

// onBus tells whether the daemon answers.
func (r *Router) onBus(ctx context.Context) bool {
	_, err := r.bus.Call(ctx, "sqmd", "stats", nil)
	return err == nil
}

// reset makes the state of a router that has just booted with the given configurations.
func (r *Router) reset(ctx context.Context, a controlArgs) error {
	r.load.stop()
	if r.rollback != nil {
		r.rollback.timer.Stop()
		r.rollback = nil
	}
	if err := r.stopDaemon(ctx); err != nil {
		return err
	}
	sessions, err := filepath.Glob(r.root.Path("/var/run/rpcd/uci-*"))
	for _, dir := range sessions {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		return err
	}
	for _, line := range []string{"/usr/sbin/sqmd stop", "rm -rf /var/run/sqmd", "ln -sf ../init.d/sqmd /etc/rc.d/S49sqmd"} {
		if err := r.shell(ctx, line); err != nil {
			return err
		}
	}
	for config, text := range map[string]string{"sqm": a.SQM, "sqmd": a.SQMD} {
		if err := r.writeConfig(config, []byte(text)); err != nil {
			return err
		}
	}
	if err := r.shell(ctx, "reload_config"); err != nil {
		return err
	}
	return r.startDaemon(ctx)
}

// await waits until something holds.
func (r *Router) await(ctx context.Context, what string, holds func() bool) error {
	for !holds() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w: %s", what, ctx.Err(), r.root.Read("/var/log/messages"))
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

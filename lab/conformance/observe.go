// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"bytes"
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

	"golang.org/x/sys/unix"
)

// sqmdTimeout bounds one run of sqmd. Starting a program takes 25 ms in the guest.
const sqmdTimeout = 30 * time.Second

// Observe runs sqmd on the case in dir. It must be called as root in a lab guest, in network and mount namespaces of
// this process alone: it mounts file systems and makes devices, and cleans nothing up.
func Observe(ctx context.Context, sqmd, dir string) (*Observation, error) {
	o := &Observation{Case: filepath.Base(dir)}
	c, err := LoadCase(dir)
	if err != nil {
		return nil, err
	}
	config, err := prepareFiles(c.Config)
	if err != nil {
		return nil, err
	}
	w, err := newWorld(c.Record.Env.Devices)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if o.Before, err = takeSnapshot(ctx); err != nil {
		return nil, err
	}
	if o.Start, err = run(ctx, sqmd, "-c", config, "apply"); err != nil {
		return nil, err
	}
	if o.AfterStart, err = takeSnapshot(ctx); err != nil {
		return nil, err
	}
	if o.Probes, err = w.probe(o.AfterStart); err != nil {
		return nil, fmt.Errorf("send packets: %w", err)
	}
	if o.Stop, err = run(ctx, sqmd, "-c", config, "stop"); err != nil {
		return nil, err
	}
	if o.AfterStop, err = takeSnapshot(ctx); err != nil {
		return nil, err
	}
	o.Tables = firewallTables()
	o.NewFiles, err = filesIn("/tmp")
	return o, err
}

// prepareFiles gives the case its own /sys (that of its network), /tmp and state directory, all empty but for the
// configuration, whose path it returns.
func prepareFiles(config []byte) (string, error) {
	const state, etc = "/run/sqmd", "/run/sqmconform/etc"
	for _, m := range []struct{ kind, target string }{
		{"sysfs", "/sys"}, {"tmpfs", "/tmp"}, {"tmpfs", state}, {"tmpfs", etc},
	} {
		if err := os.MkdirAll(m.target, 0o755); err != nil {
			return "", err
		}
		if err := unix.Mount(m.kind, m.target, m.kind, 0, ""); err != nil {
			return "", fmt.Errorf("mount %s: %w", m.target, err)
		}
	}
	path := etc + "/sqm"
	return path, os.WriteFile(path, config, 0o644)
}

// run runs sqmd to its end.
func run(ctx context.Context, program string, args ...string) (Exit, error) {
	ctx, cancel := context.WithTimeout(ctx, sqmdTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = "/"
	var stderr bytes.Buffer
	command.Stderr = &stderr
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Exit{}, fmt.Errorf("%s did not end within %v; it said: %s", command, sqmdTimeout, stderr.String())
	case err != nil && !errors.As(err, &exit):
		return Exit{}, err
	}
	return Exit{Code: command.ProcessState.ExitCode(), Stderr: stderr.String()}, nil
}

// takeSnapshot reads the kernel's state with as few commands as the tools allow.
func takeSnapshot(ctx context.Context) (Snapshot, error) {
	s := Snapshot{Classes: map[string]string{}, Ingress: map[string]json.RawMessage{}}
	var err error
	if s.Links, err = show(ctx, "ip", "-j", "-d", "link", "show"); err != nil {
		return s, err
	}
	if s.Qdiscs, err = show(ctx, "tc", "-j", "-d", "qdisc", "show"); err != nil {
		return s, err
	}
	qdiscs, err := s.qdiscs()
	if err != nil {
		return s, err
	}
	for _, q := range qdiscs {
		switch {
		case q.Root && slices.Contains(classful, q.Kind):
			text, err := show(ctx, "tc", "-d", "class", "show", "dev", q.Device)
			if err != nil {
				return s, err
			}
			s.Classes[q.Device] = string(text)
		case q.Kind == "ingress" || q.Kind == "clsact":
			if s.Ingress[q.Device], err = show(ctx, "tc", "-j", "filter", "show", "dev", q.Device, "ingress"); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// show runs a command that prints state.
func show(ctx context.Context, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", command, err, strings.TrimSpace(stderr.String()))
	}
	return text, nil
}

// probe sends packets along every shaped path.
func (w *world) probe(s Snapshot) ([]Probe, error) {
	after, err := s.tree()
	if err != nil {
		return nil, err
	}
	var probes []Probe
	for _, path := range after.paths() {
		a, ok := w.find(path.Device)
		if !ok || (path.Direction == Ingress && after.device(after.redirect(path.Device)) == nil) {
			continue // the judge will say that this is not what was wanted
		}
		if !slices.Contains(w.introduced, path.Device) {
			if err := w.introduce(a); err != nil {
				return nil, err
			}
			w.introduced = append(w.introduced, path.Device)
		}
		shaper := path.Device
		if path.Direction == Ingress {
			shaper = after.redirect(path.Device)
		}
		probe, err := w.send(path, shaper, after)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", path.Device, path.Direction, err)
		}
		probes = append(probes, probe)
	}
	return probes, nil
}

// firewallTables lists the iptables tables of this network namespace; a fresh one has none. Without the kernel's
// iptables there is no such file and nothing to list.
func firewallTables() []string {
	var tables []string
	for _, path := range []string{"/proc/thread-self/net/ip_tables_names", "/proc/thread-self/net/ip6_tables_names"} {
		if text, err := os.ReadFile(path); err == nil {
			tables = append(tables, strings.Fields(string(text))...)
		}
	}
	return tables
}

func filesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

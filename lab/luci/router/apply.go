// SPDX-License-Identifier: GPL-2.0-or-later

package router

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sqmd/lab/openwrt/settings"
	"sqmd/ubus"
)

// rollback is the configuration before what was applied and is not yet confirmed.
type rollback struct {
	session string
	before  map[string][]byte // by configuration
	timer   *time.Timer
}

// defaultTimeout is how long rpcd waits for a confirmation where nobody says.
const defaultTimeout = 60

// apply commits what waits in a session and has procd told. With a.Rollback that is taken back unless it is confirmed
// within a.Timeout seconds. It needs r.mu, as all below.
func (r *Router) apply(ctx context.Context, session string, store settings.Store, a uciArgs) error {
	if r.rollback != nil {
		return ubus.StatusPermissionDenied
	}
	entries, err := os.ReadDir(store.Changes)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return ubus.StatusNoData
	}
	if err != nil {
		return err
	}
	before := map[string][]byte{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(store.Dir, entry.Name()))
		if err != nil {
			return err
		}
		before[entry.Name()] = text
		if err := store.Commit(entry.Name()); err != nil {
			return err
		}
	}
	if a.Rollback {
		seconds := a.Timeout
		if seconds <= 0 {
			seconds = defaultTimeout
		}
		waiting := &rollback{session: session, before: before}
		waiting.timer = time.AfterFunc(time.Duration(seconds)*time.Second, func() { r.unconfirmed(waiting) })
		r.rollback = waiting
	}
	return r.shell(ctx, "reload_config")
}

// unconfirmed takes back what nobody has confirmed in time.
func (r *Router) unconfirmed(waiting *rollback) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rollback == waiting {
		_ = r.takeBack(ctx) // nobody is there to be told
	}
}

func (r *Router) confirm() error {
	if r.rollback == nil {
		return ubus.StatusNoData
	}
	r.rollback.timer.Stop()
	r.rollback = nil
	return nil
}

// takeBack restores the configuration before the last apply.
func (r *Router) takeBack(ctx context.Context) error {
	if r.rollback == nil {
		return ubus.StatusNoData
	}
	before := r.rollback.before
	r.rollback.timer.Stop()
	r.rollback = nil
	for _, config := range slices.Sorted(maps.Keys(before)) {
		if err := r.writeConfig(config, before[config]); err != nil {
			return err
		}
	}
	return r.shell(ctx, "reload_config")
}

// writeConfig replaces a configuration in one step.
func (r *Router) writeConfig(config string, text []byte) error {
	path := filepath.Join(r.root.Path("/etc/config"), config)
	aside := filepath.Join(r.root.Path("/etc"), config+".new")
	if err := os.WriteFile(aside, text, 0o600); err != nil {
		return err
	}
	return os.Rename(aside, path)
}

// SPDX-License-Identifier: GPL-2.0-or-later

package router

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sqmd/lab/luci/wire"
	"sqmd/lab/openwrt/settings"
	"sqmd/ubus"
)

// uciArgs are the arguments of all methods of the object uci, as rpcd's uci.c has them.
type uciArgs struct {
	Config   string                     `json:"config"`
	Section  string                     `json:"section"`
	Option   string                     `json:"option"`
	Options  []string                   `json:"options"`
	Type     string                     `json:"type"`
	Name     string                     `json:"name"`
	Values   map[string]json.RawMessage `json:"values"`
	Sections []string                   `json:"sections"`
	Rollback bool                       `json:"rollback"`
	Timeout  int                        `json:"timeout"`
}

// uci is rpcd's object of that name: what a session changes waits, out of sight of all others, until it is applied.
func (r *Router) uci(ctx context.Context, call wire.Call) (any, error) {
	var a uciArgs
	if len(call.Args) > 0 && json.Unmarshal(call.Args, &a) != nil {
		return nil, ubus.StatusInvalidArgument
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	store := r.store(call.Session)
	switch call.Method {
	case "configs":
		names, err := store.Configs()
		return map[string]any{"configs": names}, err
	case "changes":
		return changesOf(store, a)
	case "apply":
		return nil, r.apply(ctx, call.Session, store, a)
	case "confirm":
		return nil, r.confirm()
	case "rollback":
		return nil, r.takeBack(ctx)
	}
	if a.Config == "" || filepath.Base(a.Config) != a.Config {
		return nil, ubus.StatusInvalidArgument
	}
	switch call.Method {
	case "get":
		return get(store, a)
	case "add":
		return add(store, a)
	case "set":
		return nil, set(store, a)
	case "delete":
		return nil, remove(store, a)
	case "order":
		return nil, store.Order(a.Config, a.Sections)
	case "rename":
		return nil, store.Change("rename", settings.Path{Config: a.Config, Section: a.Section, Option: a.Option}, a.Name)
	case "revert":
		return nil, store.Revert(a.Config)
	case "commit":
		return nil, store.Commit(a.Config)
	}
	return nil, ubus.StatusMethodNotFound
}

// store is the configuration as a session sees it.
func (r *Router) store(session string) settings.Store {
	return settings.Store{Dir: r.root.Path("/etc/config"), Changes: r.root.Path("/var/run/rpcd/uci-" + filepath.Base("/"+session))}
}

// Values are the sections of a configuration in a folder, as rpcd shows them.
func Values(dir, config string) (any, error) {
	return get(settings.Store{Dir: dir, Changes: filepath.Join(dir, ".changes")}, uciArgs{Config: config})
}

// get shows a configuration, a section or an option.
func get(store settings.Store, a uciArgs) (any, error) {
	file, err := store.Load(a.Config)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for i, s := range file.Sections {
		if a.Section != "" && s.Name != a.Section || a.Type != "" && s.Type != a.Type {
			continue
		}
		values := map[string]any{".anonymous": s.Anonymous, ".type": s.Type, ".name": s.Name, ".index": i}
		for _, o := range s.Options {
			if values[o.Name] = o.Values; !o.List {
				values[o.Name] = o.Values[0]
			}
		}
		all[s.Name] = values
	}
	if a.Section == "" {
		return map[string]any{"values": all}, nil
	}
	section, found := all[a.Section].(map[string]any)
	if !found {
		return nil, ubus.StatusNotFound
	}
	if a.Option == "" {
		return map[string]any{"values": section}, nil
	}
	value, found := section[a.Option]
	if !found {
		return nil, ubus.StatusNotFound
	}
	return map[string]any{"value": value}, nil
}

// add makes a section, a named one if a name is given.
func add(store settings.Store, a uciArgs) (any, error) {
	if a.Type == "" {
		return nil, ubus.StatusInvalidArgument
	}
	name, err := a.Name, error(nil)
	if name == "" {
		name, err = store.Add(a.Config, a.Type)
	} else {
		err = store.Change("set", settings.Path{Config: a.Config, Section: name}, a.Type)
	}
	if err == nil {
		a.Section = name
		err = set(store, a)
	}
	return map[string]any{"section": name}, err
}

// set sets options of a section that there is; what a value is already is no change.
func set(store settings.Store, a uciArgs) error {
	file, err := store.Load(a.Config)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(file.Sections, func(s *settings.Section) bool { return s.Name == a.Section })
	if at < 0 {
		return ubus.StatusNotFound
	}
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		values, list, err := valuesOf(a.Values[name])
		if err != nil {
			return err
		}
		is := slices.IndexFunc(file.Sections[at].Options, func(o settings.Option) bool { return o.Name == name })
		if is >= 0 {
			o := file.Sections[at].Options[is]
			if o.List == list && slices.Equal(o.Values, values) {
				continue
			}
		}
		path := settings.Path{Config: a.Config, Section: a.Section, Option: name}
		if !list {
			err = store.Change("set", path, values[0])
		} else {
			if is >= 0 {
				err = store.Change("delete", path, "")
			}
			for i := 0; err == nil && i < len(values); i++ {
				err = store.Change("add_list", path, values[i])
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// valuesOf reads the value of an option: a list of strings, or one of what JSON has else, which becomes a string.
func valuesOf(text json.RawMessage) (values []string, list bool, err error) {
	var items []any
	if json.Unmarshal(text, &items) == nil && items != nil {
		for _, item := range items {
			values = append(values, fmt.Sprint(item))
		}
		return values, true, nil
	}
	var one any
	if err := json.Unmarshal(text, &one); err != nil {
		return nil, false, ubus.StatusInvalidArgument
	}
	switch one := one.(type) {
	case string:
		return []string{one}, false, nil
	case bool:
		if one {
			return []string{"1"}, false, nil
		}
		return []string{"0"}, false, nil
	case float64:
		return []string{string(text)}, false, nil
	}
	return nil, false, ubus.StatusInvalidArgument
}

// remove deletes a section, or one or several of its options.
func remove(store settings.Store, a uciArgs) error {
	options := a.Options
	if a.Option != "" || len(options) == 0 {
		options = append(options, a.Option)
	}
	for _, option := range options {
		if err := store.Change("delete", settings.Path{Config: a.Config, Section: a.Section, Option: option}, ""); err != nil {
			return err
		}
	}
	return nil
}

// changesOf lists what waits, of all configurations or one.
func changesOf(store settings.Store, a uciArgs) (any, error) {
	if a.Config != "" {
		list, err := store.Waiting(a.Config)
		return map[string]any{"changes": rows(list)}, err
	}
	all := map[string]any{}
	entries, err := os.ReadDir(store.Changes)
	if os.IsNotExist(err) {
		err = nil
	}
	for _, entry := range entries {
		list, failed := store.Waiting(entry.Name())
		if err = failed; err != nil {
			return nil, err
		}
		if len(list) > 0 {
			all[entry.Name()] = rows(list)
		}
	}
	return map[string]any{"changes": all}, err
}

// rows shows changes as rpcd does: what is done, the section, and what else there is.
func rows(list []settings.Change) [][]string {
	names := map[string]string{"delete": "remove", "add_list": "list-add", "del_list": "list-del"}
	all := [][]string{}
	for _, c := range list {
		row := []string{c.Do}
		if other, known := names[c.Do]; known {
			row[0] = other
		}
		for _, word := range []string{c.Section, c.Option, c.Value} {
			if word != "" {
				row = append(row, word)
			}
		}
		all = append(all, row)
	}
	return all
}

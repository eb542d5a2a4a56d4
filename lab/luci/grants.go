// SPDX-License-Identifier: GPL-2.0-or-later

package luci

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// scope is what a group of an ACL file of rpcd gives in one of its two parts.
type scope struct {
	// UBus has methods by object.
	UBus map[string][]string `json:"ubus"`
	// UCI has configurations.
	UCI []string `json:"uci"`
}

type group struct {
	Description string `json:"description"`
	Read        scope  `json:"read"`
	Write       scope  `json:"write"`
}

// base is what every session has by LuCI's own files.
var base = group{
	Read: scope{UBus: map[string][]string{
		"session": {"access"},
		"uci":     {"changes", "get"},
	}},
	Write: scope{UBus: map[string][]string{
		"uci": {"add", "apply", "confirm", "delete", "order", "rename", "rollback", "set", "revert"},
	}},
}

// Session is what somebody who is logged in may do.
type Session struct {
	// ID is a session's name, as in JSON-RPC.
	ID string
	// ReadOnly is a login with the read parts alone.
	ReadOnly bool
	groups   []group
}

// readGroups reads the ACL files of a folder.
func readGroups(root fs.FS) ([]group, error) {
	groups := []group{base}
	files, err := fs.Glob(root, "usr/share/rpcd/acl.d/*.json")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		var all map[string]group
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, g := range all {
			groups = append(groups, g)
		}
	}
	return groups, nil
}

// scopes are the parts that count for the session.
func (s Session) scopes() (all []scope) {
	for _, g := range s.groups {
		all = append(all, g.Read)
		if !s.ReadOnly {
			all = append(all, g.Write)
		}
	}
	return all
}

// May tells whether the session may call a method. A pattern in an ACL ends at a '*' or is the name.
func (s Session) May(object, method string) bool {
	return slices.ContainsFunc(s.scopes(), func(sc scope) bool {
		for pattern, methods := range sc.UBus {
			if fits(pattern, object) && slices.ContainsFunc(methods, func(m string) bool { return fits(m, method) }) {
				return true
			}
		}
		return false
	})
}

// MayRead and MayWrite tell whether the session may read and change a configuration.
func (s Session) MayRead(config string) bool {
	return slices.ContainsFunc(s.scopes(), func(sc scope) bool { return anyFits(sc.UCI, config) })
}

func (s Session) MayWrite(config string) bool {
	return !s.ReadOnly && slices.ContainsFunc(s.groups, func(g group) bool { return anyFits(g.Write.UCI, config) })
}

func anyFits(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return fits(pattern, name) })
}

func fits(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return err == nil && matched
}

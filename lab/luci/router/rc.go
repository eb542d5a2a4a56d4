// SPDX-License-Identifier: GPL-2.0-or-later

package router

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"sqmd/lab/luci/wire"
	"sqmd/ubus"
)

// rcArgs are the arguments of the methods of the object rc, as rpcd's rc.c has them.
type rcArgs struct {
	Name   string `json:"name"`
	Action string `json:"action"`
}

var initActions = []string{"disable", "enable", "start", "stop", "restart", "reload"}

// rc is rpcd's object of that name: init scripts, and what they can be told.
func (r *Router) rc(ctx context.Context, call wire.Call) (any, error) {
	var a rcArgs
	if len(call.Args) > 0 && json.Unmarshal(call.Args, &a) != nil {
		return nil, ubus.StatusInvalidArgument
	}
	switch call.Method {
	case "list":
		return r.initScripts(ctx, a.Name)
	case "init":
		if !slices.Contains(initActions, a.Action) || a.Name == "" || filepath.Base(a.Name) != a.Name {
			return nil, ubus.StatusInvalidArgument
		}
		if !r.root.Exists("/etc/init.d/" + a.Name) {
			return nil, ubus.StatusNotFound
		}
		return nil, r.shell(ctx, fmt.Sprintf("/etc/init.d/%s %s", a.Name, a.Action))
	}
	return nil, ubus.StatusMethodNotFound
}

var startNumber = regexp.MustCompile(`(?m)^START=(\d+)`)

// initScripts tells of all init scripts, or one, when it starts at boot and whether it does, and runs.
func (r *Router) initScripts(ctx context.Context, wanted string) (any, error) {
	files, err := filepath.Glob(r.root.Path("/etc/init.d/*"))
	all := map[string]any{}
	for _, file := range files {
		name := filepath.Base(file)
		if wanted != "" && name != wanted {
			continue
		}
		one := map[string]any{"enabled": false}
		if found := startNumber.FindStringSubmatch(r.root.Read("/etc/init.d/" + name)); found != nil {
			one["start"], _ = strconv.Atoi(found[1])
			one["enabled"] = r.root.Exists("/etc/rc.d/S" + found[1] + name)
		}
		one["running"] = r.shell(ctx, "/etc/init.d/"+name+" running") == nil
		all[name] = one
	}
	return all, err
}

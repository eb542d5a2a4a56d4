// SPDX-License-Identifier: GPL-2.0-or-later

package procd

import (
	"context"

	"sqmd/lab/ubusd"
)

// Serve offers the supervisor as the object "service". Every request but list is first given to record, with the name
// of the method.
func (s *Supervisor) Serve(bus *ubusd.Server, record func(method string, request map[string]any)) error {
	change := func(name string, do func(map[string]any) ubusd.Status) ubusd.Method {
		return ubusd.Method{Name: name, Answer: func(_ context.Context, request map[string]any) (map[string]any, ubusd.Status) {
			record(name, request)
			return nil, do(request)
		}}
	}
	return bus.Offer("service",
		change("set", func(r map[string]any) ubusd.Status { return s.Set(r, false) }),
		change("add", func(r map[string]any) ubusd.Status { return s.Set(r, true) }),
		change("delete", s.Delete),
		change("signal", s.Signal),
		change("event", s.Event),
		ubusd.Method{Name: "list", Answer: func(_ context.Context, request map[string]any) (map[string]any, ubusd.Status) {
			return s.List(request), ubusd.OK
		}})
}

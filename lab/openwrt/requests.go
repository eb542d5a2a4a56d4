// SPDX-License-Identifier: GPL-2.0-or-later

package openwrt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Places in a root that both the stand-ins and their tests know.
const (
	// Ready is there when the system has booted.
	Ready = "/tmp/booted"
	// Requests is the log of what procd was asked, a [Request] a line.
	Requests = "/var/log/procd.requests"
	// Log is the system's log.
	Log = "/var/log/messages"
)

// Request is a request that procd got.
type Request struct {
	Method  string         `json:"method"`
	Request map[string]any `json:"request"`
}

// Instance gives the instance of a request "set" or "add", nil if it has none of that name.
func (r Request) Instance(name string) map[string]any {
	all, _ := r.Request["instances"].(map[string]any)
	one, _ := all[name].(map[string]any)
	return one
}

// Requests reads what procd was asked since the system booted.
func (r *Root) Requests() (all []Request, err error) {
	text, err := os.ReadFile(r.Path(Requests))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	lines := json.NewDecoder(bytes.NewReader(text))
	for err == nil && lines.More() {
		var one Request
		if err = lines.Decode(&one); err == nil {
			all = append(all, one)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read requests to procd: %w", err)
	}
	return all, nil
}

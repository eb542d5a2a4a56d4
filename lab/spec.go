// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// specVariable is how the guest's init learns where its spec is: the kernel hands every NAME=VALUE it does not know
// itself to init as environment.
const specVariable = "SQMLAB_SPEC"

// Names of the files that host and guest exchange in the guest's control directory.
const (
	specFile    = "guest.json"
	exitFile    = "exit"
	consoleFile = "console.log"
)

// spec is what the host tells the guest's init.
type spec struct {
	Command []string `json:"command"`
	Env     []string `json:"env"`
	Dir     string   `json:"dir"`
	// Control is the directory for the exit file, Out what the payload may write to; both are the host's.
	Control string `json:"control"`
	Out     string `json:"out,omitempty"`
	// RealTime is [Guest.RealTime].
	RealTime bool `json:"real_time,omitempty"`
	// Input lets the payload read from the line that its output goes to.
	Input bool `json:"input,omitempty"`
	// Terminal gives the payload a controlling terminal of this size instead of two output pipes.
	Terminal bool   `json:"terminal,omitempty"`
	Rows     uint16 `json:"rows,omitempty"`
	Columns  uint16 `json:"columns,omitempty"`
}

func (s *spec) write() (path string, err error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode guest spec: %w", err)
	}
	path = filepath.Join(s.Control, specFile)
	return path, os.WriteFile(path, text, 0o644)
}

func readSpec(path string) (*spec, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read guest spec: %w", err)
	}
	s := new(spec)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("read guest spec %s: %w", path, err)
	}
	return s, nil
}

// writeExit leaves the payload's exit code for the host. The file is synced because the guest is about to power off.
func (s *spec) writeExit(code int) error {
	file, err := os.Create(filepath.Join(s.Control, exitFile))
	if err != nil {
		return fmt.Errorf("report exit code: %w", err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, "%d\n", code); err != nil {
		return fmt.Errorf("report exit code: %w", err)
	}
	return file.Sync()
}

// readExit returns the payload's exit code; an error means that the guest ended before its payload did.
func (s *spec) readExit() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.Control, exitFile))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

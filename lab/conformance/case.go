// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Names of the files of a case.
const (
	configFile = "sqm.uci"
	recordFile = "state.json"
	notesFile  = "notes.txt"
)

// schema is the version of state.json that this package reads.
const schema = 1

// Case is one directory of recorded behaviour.
type Case struct {
	Name   string
	Config []byte // /etc/config/sqm, byte for byte
	Record Record
	Notes  []Note
}

// Record is what sqm-scripts did, as state.json has it.
type Record struct {
	Schema int `json:"schema"`
	Env    struct {
		Devices []Device `json:"devices"`
	} `json:"env"`
	Interfaces []string `json:"configured_interfaces"`
	Start      struct {
		RC int `json:"rc"`
	} `json:"start"`
	AfterStart recordedState `json:"after_start"`
}

// Device is a device that exists before start. Kind is veth, vlan or bridge; MTU is in bytes, 0 for the kernel's choice;
// a vlan has the device it is on and its id.
type Device struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	MTU  int    `json:"mtu"`
	Link string `json:"link"`
	VLAN int    `json:"vlan_id"`
}

// LoadCase reads a case directory. Remarks may be missing: then the record is the target.
func LoadCase(dir string) (*Case, error) {
	c := &Case{Name: filepath.Base(dir)}
	var err error
	if c.Config, err = os.ReadFile(filepath.Join(dir, configFile)); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, recordFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &c.Record); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if c.Record.Schema != schema {
		return nil, fmt.Errorf("read %s: schema is %d, only %d is known", path, c.Record.Schema, schema)
	}
	text, err = os.ReadFile(filepath.Join(dir, notesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c.Notes = parseNotes(string(text))
	return c, nil
}

// FindCases lists the case directories in dir, by name.
func FindCases(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if _, err := os.Stat(filepath.Join(dir, entry.Name(), configFile)); err == nil {
			names = append(names, entry.Name())
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no case: no directory in it has a %s", dir, configFile)
	}
	return names, nil
}

// hash identifies the configuration.
func (c *Case) hash() string {
	sum := sha256.Sum256(c.Config)
	return hex.EncodeToString(sum[:])
}

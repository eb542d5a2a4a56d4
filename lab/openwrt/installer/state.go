// SPDX-License-Identifier: GPL-2.0-or-later

package installer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// load reads what is installed, sorted by name.
func (s System) load(path string) (all []installed, err error) {
	text, err := os.ReadFile(s.at(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read what is installed: %w", err)
	}
	return all, nil
}

func (s System) save(path string, all []installed) error {
	slices.SortFunc(all, func(a, b installed) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.MarshalIndent(all, "", " ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.at(path)), 0o755)
	}
	if err == nil {
		err = os.WriteFile(s.at(path), text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write what is installed: %w", err)
	}
	return nil
}

// Assume writes down that a package is installed whose files are there, or which has none, for either manager.
func (s System) Assume(name, version string, files ...string) error {
	p := installed{Name: name, Version: version, Arch: "all", Sums: map[string]string{}}
	for _, path := range files {
		p.Sums[path] = s.sum(path)
	}
	for _, state := range []string{opkgState, apkState} {
		all, err := s.load(state)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(i installed) bool { return i.Name == name })
		if err := s.save(state, append(all, p)); err != nil {
			return err
		}
	}
	return nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Store is a directory of configurations and one of changes that wait to be committed.
type Store struct{ Dir, Changes string }

// System is where they are on OpenWrt.
var System = Store{Dir: "/etc/config", Changes: "/tmp/.uci"}

// Errors that uci(1) words "Entry not found" and "Invalid argument".
var (
	ErrNotFound = errors.New("entry not found")
	ErrInvalid  = errors.New("invalid argument")
)

// Change is a change that waits, one line of a file of changes.
type Change struct {
	Do      string `json:"do"` // set, add, delete, add_list, del_list, rename or order
	Section string `json:"section,omitempty"`
	Option  string `json:"option,omitempty"`
	Value   string `json:"value,omitempty"`
}

// Path names a configuration, one of its sections or an option of that: sqm, sqm.wan or sqm.wan.enabled.
type Path struct{ Config, Section, Option string }

// ParsePath reads CONFIG[.SECTION[.OPTION]].
func ParsePath(text string) (Path, error) {
	parts := strings.SplitN(text, ".", 3)
	if slices.Contains(parts, "") || strings.ContainsAny(parts[0], "/ ") {
		return Path{}, fmt.Errorf("%q: %w", text, ErrInvalid)
	}
	parts = append(parts, "", "")
	return Path{parts[0], parts[1], parts[2]}, nil
}

// Load reads a configuration with the changes that wait for it. Like uci(1) it refuses a file of which it cannot read all.
func (s Store) Load(config string) (*File, error) {
	f, doubt, err := s.load(config)
	return f, errors.Join(err, doubt)
}

// load tells apart what was wrong with some of the file.
func (s Store) load(config string) (f *File, doubt, err error) {
	path := filepath.Join(s.Dir, config)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, ErrNotFound
	}
	if err != nil {
		return nil, nil, err
	}
	f, doubt = parse(path, text)
	waiting, err := s.Waiting(config)
	for _, c := range waiting {
		err = errors.Join(err, f.apply(c))
	}
	return f, doubt, err
}

// Waiting reads the changes that wait for a configuration.
func (s Store) Waiting(config string) (list []Change, err error) {
	text, err := os.ReadFile(filepath.Join(s.Changes, config))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	lines := json.NewDecoder(bytes.NewReader(text))
	for err == nil && lines.More() {
		var c Change
		if err = lines.Decode(&c); err == nil {
			list = append(list, c)
		}
	}
	return list, err
}

// do applies a change to what is loaded and keeps it for the commit.
func (s Store) do(config string, f *File, c Change) error {
	if err := f.apply(c); err != nil {
		return err
	}
	if c.Do == "add" {
		c.Section = f.Sections[len(f.Sections)-1].Name
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Changes, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(s.Changes, config), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

func (f *File) apply(c Change) error {
	if c.Do == "add" {
		f.add(c.Value, "")
		return nil
	}
	section := f.section(c.Section)
	if section == nil {
		if c.Do != "set" || c.Option != "" {
			return ErrNotFound
		}
		f.add(c.Value, c.Section)
		return nil
	}
	if c.Option == "" {
		return f.applySection(section, c)
	}
	return section.apply(c)
}

func (f *File) applySection(section *Section, c Change) error {
	switch c.Do {
	case "set":
		section.Type = c.Value
	case "delete":
		f.Sections = slices.DeleteFunc(f.Sections, func(s *Section) bool { return s == section })
	case "rename":
		section.Name, section.Anonymous = c.Value, false
	case "order":
		place, err := strconv.Atoi(c.Value)
		if err != nil || place < 0 || place >= len(f.Sections) {
			return ErrInvalid
		}
		f.Sections = slices.DeleteFunc(f.Sections, func(s *Section) bool { return s == section })
		f.Sections = slices.Insert(f.Sections, place, section)
	default:
		return ErrInvalid
	}
	return nil
}

func (s *Section) apply(c Change) error {
	option := s.option(c.Option)
	switch {
	case c.Do == "set" && c.Value == "", c.Do == "delete":
		if !s.remove(c.Option) && c.Do == "delete" {
			return ErrNotFound
		}
	case c.Do == "set" && option != nil:
		option.Values, option.List = []string{c.Value}, false
	case c.Do == "set":
		s.Options = append(s.Options, Option{Name: c.Option, Values: []string{c.Value}})
	case c.Do == "add_list" && option != nil:
		option.Values, option.List = append(option.Values, c.Value), true
	case c.Do == "add_list":
		s.Options = append(s.Options, Option{Name: c.Option, Values: []string{c.Value}, List: true})
	case c.Do == "rename" && option != nil:
		option.Name = c.Value
	case c.Do == "del_list" && option != nil:
		option.Values = slices.DeleteFunc(option.Values, func(v string) bool { return v == c.Value })
		if len(option.Values) == 0 {
			s.remove(c.Option)
		}
	default:
		return ErrNotFound
	}
	return nil
}

// Change carries out one of uci's commands set, delete, add_list, del_list and rename.
func (s Store) Change(do string, p Path, value string) error {
	f, err := s.Load(p.Config)
	if err != nil {
		return err
	}
	if p.Section == "" {
		return ErrInvalid
	}
	name := p.Section
	if section := f.section(name); section != nil {
		name = section.Name
	} else if strings.HasPrefix(name, "@") {
		return ErrNotFound
	}
	return s.do(p.Config, f, Change{do, name, p.Option, value})
}

// Add appends an anonymous section and gives the name that stands for it.
func (s Store) Add(config, kind string) (name string, err error) {
	f, err := s.Load(config)
	if err != nil {
		return "", err
	}
	if err := s.do(config, f, Change{Do: "add", Value: kind}); err != nil {
		return "", err
	}
	return f.Sections[len(f.Sections)-1].Name, nil
}

// Order moves sections to the beginning of a configuration, in the order of the names.
func (s Store) Order(config string, names []string) error {
	f, err := s.Load(config)
	for place := 0; err == nil && place < len(names); place++ {
		err = s.do(config, f, Change{Do: "order", Section: names[place], Value: strconv.Itoa(place)})
	}
	return err
}

// Commit writes what waits for a configuration, all of them where it is empty, to its file.
func (s Store) Commit(config string) error {
	if config == "" {
		entries, err := os.ReadDir(s.Changes)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		for _, entry := range entries {
			err = errors.Join(err, s.Commit(entry.Name()))
		}
		return err
	}
	f, err := s.Load(config)
	if err != nil {
		return err
	}
	aside := filepath.Join(s.Changes, config)
	if _, err := os.Stat(aside); err != nil {
		return nil // nothing waits: the file stays as it is, comments and all
	}
	path := filepath.Join(s.Dir, config)
	mode := os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode()
	}
	if err := os.WriteFile(path+".new", f.text(), mode); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return os.Remove(aside)
}

// Revert forgets what waits for a configuration.
func (s Store) Revert(config string) error {
	err := os.Remove(filepath.Join(s.Changes, config))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// SPDX-License-Identifier: GPL-2.0-or-later

package settings

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

// Get is what uci get prints: the type of a section or the value of an option.
func (s Store) Get(p Path) (string, error) {
	f, err := s.Load(p.Config)
	if err != nil {
		return "", err
	}
	section := f.section(p.Section)
	if section == nil {
		return "", ErrNotFound
	}
	if p.Option == "" {
		return section.Type, nil
	}
	option := section.option(p.Option)
	if option == nil {
		return "", ErrNotFound
	}
	return strings.Join(option.Values, " "), nil
}

// Show is what uci show prints. With names it calls anonymous sections by the names that stand for them, as uci -X does.
func (s Store) Show(p Path, names bool) (string, error) {
	f, err := s.Load(p.Config)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, section := range f.Sections {
		if p.Section != "" && f.section(p.Section) != section {
			continue
		}
		title := f.title(section)
		if names {
			title = section.Name
		}
		prefix := p.Config + "." + title
		if p.Option == "" {
			fmt.Fprintf(&out, "%s=%s\n", prefix, section.Type)
		}
		for _, o := range section.Options {
			if p.Option == "" || p.Option == o.Name {
				fmt.Fprintf(&out, "%s.%s=%s\n", prefix, o.Name, o.quoted())
			}
		}
	}
	if p.Section != "" && out.Len() == 0 {
		return "", ErrNotFound
	}
	return out.String(), nil
}

func (o Option) quoted() string {
	var all []string
	for _, v := range o.Values {
		all = append(all, quote(v))
	}
	return strings.Join(all, " ")
}

// Pending is what uci changes prints of one configuration.
func (s Store) Pending(config string) (string, error) {
	list, err := s.Waiting(config)
	var out strings.Builder
	for _, c := range list {
		path := config + "." + c.Section
		if c.Option != "" {
			path += "." + c.Option
		}
		switch c.Do {
		case "delete":
			fmt.Fprintf(&out, "-%s\n", path)
		case "add":
			fmt.Fprintf(&out, "+%s=%s\n", config, c.Value)
		case "add_list":
			fmt.Fprintf(&out, "%s+=%s\n", path, quote(c.Value))
		case "del_list":
			fmt.Fprintf(&out, "%s-=%s\n", path, quote(c.Value))
		default:
			fmt.Fprintf(&out, "%s=%s\n", path, quote(c.Value))
		}
	}
	return out.String(), err
}

// Configs are the names of all configurations, sorted.
func (s Store) Configs() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	var names []string
	for _, e := range entries {
		if !e.IsDir() && !strings.ContainsAny(e.Name(), ".-") {
			names = append(names, e.Name())
		}
	}
	sort.Strings(names)
	return names, err
}

// Variables is shell text that sets what functions.sh calls the configuration: CONFIG_SECTIONS, and for each section
// CONFIG_name_TYPE and CONFIG_name_option, for a list also CONFIG_name_option_LENGTH and _ITEM1 and so on.
// It reads what it can of a damaged file, as config_load does.
func (s Store) Variables(config string) (string, error) {
	f, _, err := s.load(config)
	if err != nil {
		return "", err
	}
	var out, names strings.Builder
	for _, section := range f.Sections {
		names.WriteString(" " + section.Name)
		prefix := "CONFIG_" + section.Name + "_"
		fmt.Fprintf(&out, "%sTYPE=%s\n", prefix, quote(section.Type))
		for _, o := range section.Options {
			if strings.ContainsFunc(prefix+o.Name, notInName) {
				continue // no name for a variable
			}
			fmt.Fprintf(&out, "%s%s=%s\n", prefix, o.Name, quote(strings.Join(o.Values, " ")))
			if !o.List {
				continue
			}
			fmt.Fprintf(&out, "%s%s_LENGTH=%d\n", prefix, o.Name, len(o.Values))
			for i, v := range o.Values {
				fmt.Fprintf(&out, "%s%s_ITEM%d=%s\n", prefix, o.Name, i+1, quote(v))
			}
		}
	}
	fmt.Fprintf(&out, "CONFIG_SECTIONS=\"${CONFIG_SECTIONS:+$CONFIG_SECTIONS }%s\"\n", strings.TrimSpace(names.String()))
	return out.String(), nil
}

func notInName(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

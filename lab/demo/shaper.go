// SPDX-License-Identifier: GPL-2.0-or-later

package demo

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"sqmd/lab"
)

// Shaper is one of the ways of shaping that are compared.
type Shaper struct {
	// Name is for people.
	Name string
	// Qdisc and Script are the options of the configuration; both empty stands for no shaping.
	Qdisc, Script string
}

// Shapers returns what is compared, in order.
func Shapers() []Shaper {
	return []Shaper{
		{Name: "without sqmd"},
		{Name: "cake", Qdisc: "cake", Script: "piece_of_cake.qos"},
		{Name: "htb+fq_codel", Qdisc: "fq_codel", Script: "simple.qos"},
	}
}

// enable shapes the router as the configuration says, but with this shaper. The returned function undoes it.
func (s Shaper) enable(router lab.Namespace, program, config string) (disable func() error, err error) {
	if s.Script == "" {
		return func() error { return nil }, nil
	}
	text, err := os.ReadFile(config)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	changed := withOption(withOption(string(text), "qdisc", s.Qdisc), "script", s.Script)
	// The guest's root is its own memory: this changes no file of the host.
	const path = "/etc/config/sqm"
	if err := os.MkdirAll("/etc/config", 0o755); err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	if _, err := router.Run(program, "-c", path, "apply"); err != nil {
		return nil, err
	}
	return func() error {
		_, err := router.Run(program, "-c", path, "stop")
		return err
	}, nil
}

// withOption sets an option in every queue of a configuration.
func withOption(text, name, value string) string {
	line := fmt.Sprintf("\toption %s '%s'", name, value)
	option := regexp.MustCompile(`(?m)^\s*option\s+['"]?` + name + `['"]?\s.*\n?`)
	section := regexp.MustCompile(`(?m)^\s*config\s+['"]?queue['"]?.*$`)
	return section.ReplaceAllStringFunc(option.ReplaceAllString(text, ""), func(head string) string {
		return strings.TrimRight(head, " \t") + "\n" + line
	})
}

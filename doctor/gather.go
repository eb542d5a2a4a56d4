// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sqmd/uci"
)

// Gather reads what the system's files say; root is "/" in life. What is missing
// is not known, and no error. With an error, all that could be read is there.
func Gather(root string) (System, error) {
	var s System
	s.Links, s.DefaultRoutes = GatherLinks(root)
	file, err := readUCI(root, "firewall")
	s.Firewall = firewallOf(file)
	managers, managersErr := readManagers(root)
	s.Managers = managers
	return s, errors.Join(err, managersErr)
}

// GatherLinks reads what the system's files say about network devices, and which of
// them default routes lead to.
func GatherLinks(root string) (links map[string]Link, defaults []string) {
	return readLinks(filepath.Join(root, "sys/class/net")),
		defaultRoutes(readText(filepath.Join(root, "proc/net/route")), readText(filepath.Join(root, "proc/net/ipv6_route")))
}

// readUCI parses a file of /etc/config; one that is missing is empty. Mistakes in
// it are not ours to tell.
func readUCI(root, name string) (uci.File, error) {
	path := filepath.Join(root, "etc/config", name)
	text, err := uci.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return uci.File{}, nil
	}
	if err != nil {
		return uci.File{}, err
	}
	file, _ := uci.Parse(path, text)
	return file, nil
}

func firewallOf(file uci.File) Firewall {
	var f Firewall
	for _, s := range file.Sections {
		if s.Type == "defaults" {
			f.FlowOffload = f.FlowOffload || flag(s, "flow_offloading")
			f.HardwareOffload = f.HardwareOffload || flag(s, "flow_offloading_hw")
		}
	}
	f.HardwareOffload = f.HardwareOffload && f.FlowOffload
	return f
}

// flag reads an option as OpenWrt's scripts do (config_get_bool).
func flag(s uci.Section, option string) bool {
	o, ok := s.Lookup(option)
	return ok && slices.Contains([]string{"1", "on", "true", "yes", "enabled"}, strings.ToLower(o.Text()))
}

// maxText bounds, in bytes, what is read of a file of /proc or /sys.
const maxText = 256 << 10

// readText gives the beginning of a file; "" for one that cannot be read, as many
// of sysfs cannot while a link is down.
func readText(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText))
	if err != nil {
		return ""
	}
	return string(text)
}

// names gives at most limit entries of a directory, sorted; a missing directory
// is empty.
func names(directory string, limit int) ([]string, error) {
	d, err := os.Open(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	found, err := d.Readdirnames(limit)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(found)
	return found, err
}

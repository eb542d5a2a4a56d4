// SPDX-License-Identifier: GPL-2.0-or-later

package installer

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"sqmd/release/bundle"
	"sqmd/release/ipk"
)

// Opkg is opkg's stand-in.
type Opkg struct{ System }

// Paths of opkg on OpenWrt.
const (
	opkgInfo  = "/usr/lib/opkg/info/"
	opkgState = "/usr/lib/opkg/status.json" // the real one is a text of another form, which scripts do not read
	opkgConf  = "/etc/opkg.conf"
)

// upgradeEnv is how opkg tells scripts that they are part of an upgrade.
var upgradeEnv = []string{"PKG_UPGRADE=1"}

// Install installs the package that is read, or upgrades to it, as opkg install FILE does.
func (o Opkg) Install(from io.Reader) error {
	file, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	content, err := ipk.Unpack(bytes.NewReader(file))
	if err != nil {
		return err
	}
	p, err := ipk.Read(bytes.NewReader(file))
	if err != nil {
		return err
	}
	all, err := o.load(opkgState)
	if err != nil {
		return err
	}
	old := find(all, p.Name)
	if old != nil && old.Version == p.Version {
		o.say("Package %s (%s) installed in root is up to date.", p.Name, p.Version)
		return nil
	}
	if err := o.check(p, all); err != nil {
		return fmt.Errorf("package %s: %w", p.Name, err)
	}
	if old == nil {
		o.say("Installing %s (%s) to root...", p.Name, p.Version)
		return o.install(p, content.Control, all)
	}
	o.say("Upgrading %s on root from %s to %s...", p.Name, old.Version, p.Version)
	return o.upgrade(*old, p, content.Control, all)
}

func (o Opkg) check(p bundle.Package, all []installed) error {
	if err := o.checkArch(p.Arch); err != nil {
		return err
	}
	if err := satisfied(p.Depends, all); err != nil {
		return err
	}
	// A configuration file that is there is kept, whoever it belongs to.
	kept := func(path string) bool { return slices.Contains(p.Conffiles, path) && o.sum(path) != "" }
	return clash(p.Files, all, p.Name, kept)
}

// checkArch looks for a line "arch NAME PRIORITY".
func (o Opkg) checkArch(arch string) error {
	text, err := os.ReadFile(o.at(opkgConf))
	if err != nil {
		return err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "arch" && words[1] == arch {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", arch, ErrArch)
}

func (o Opkg) install(p bundle.Package, control []bundle.File, all []installed) error {
	if err := o.unpack(nil, p, control, all); err != nil {
		return err
	}
	return o.configure(p.Name, nil)
}

// upgrade has the old package stop before its files are replaced.
func (o Opkg) upgrade(old installed, p bundle.Package, control []bundle.File, all []installed) error {
	o.script(old.Name, "prerm", upgradeEnv, "upgrade", p.Version)
	if err := o.unpack(&old, p, control, all); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(old.Sums)) {
		if !slices.ContainsFunc(p.Files, func(f bundle.File) bool { return f.Path == path }) && !slices.Contains(old.Conffiles, path) {
			if err := o.remove(path); err != nil {
				return err
			}
		}
	}
	return o.configure(p.Name, upgradeEnv)
}

func (o Opkg) configure(name string, env []string) error {
	if o.Root != "" {
		return nil // the image builder runs the scripts itself, when all packages are there
	}
	o.say("Configuring %s.", name)
	o.script(name, "postinst", env, "configure")
	return nil
}

// script runs one of the package's scripts, if it has it. A failure is told and borne.
func (o Opkg) script(name, kind string, env []string, args ...string) {
	path := opkgInfo + name + "." + kind
	if _, err := os.Stat(o.at(path)); err != nil || o.Root != "" {
		return
	}
	if err := o.run(path, append([]string{"PKG_ROOT=/"}, env...), args...); err != nil {
		o.say("%v", err)
	}
}

// unpack puts all files in place and writes down what is installed.
func (o Opkg) unpack(old *installed, p bundle.Package, control []bundle.File, all []installed) error {
	o.forget(p.Name)
	var list strings.Builder
	for _, f := range p.Files {
		fmt.Fprintln(&list, f.Path)
		if err := o.place(f, o.placeFor(old, p, f)); err != nil {
			return err
		}
	}
	for _, f := range append(control, bundle.File{Path: "/list", Mode: 0o644, Content: []byte(list.String())}) {
		if err := o.place(f, opkgInfo+p.Name+"."+strings.TrimPrefix(f.Path, "/")); err != nil {
			return err
		}
	}
	all = slices.DeleteFunc(all, func(i installed) bool { return i.Name == p.Name })
	return o.save(opkgState, append(all, installed{
		Name: p.Name, Version: p.Version, Arch: p.Arch, Depends: p.Depends, Provides: p.Provides,
		Conffiles: p.Conffiles, Sums: sums(p.Files),
	}))
}

// placeFor is where a file goes: a configuration file that the user has changed stays, and the new one goes beside it.
func (o Opkg) placeFor(old *installed, p bundle.Package, f bundle.File) string {
	there := o.sum(f.Path)
	if !slices.Contains(p.Conffiles, f.Path) || there == "" || there == sumOf(f.Content) {
		return f.Path
	}
	if old != nil && old.Sums[f.Path] == there {
		return f.Path
	}
	o.say("Existing conffile %s is different from the conffile in the new package. The new conffile will be placed at %s-opkg.", f.Path, f.Path)
	return f.Path + "-opkg"
}

// forget removes what is kept about a package.
func (o Opkg) forget(name string) {
	entries, _ := os.ReadDir(o.at(opkgInfo))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+".") {
			os.Remove(o.at(opkgInfo + e.Name()))
		}
	}
}

// Remove removes a package, as opkg remove does. Configuration files that the user has changed stay.
func (o Opkg) Remove(name string) error {
	all, err := o.load(opkgState)
	if err != nil {
		return err
	}
	p := find(all, name)
	if p == nil {
		return fmt.Errorf("%s: %w", name, ErrNotInstalled)
	}
	o.say("Removing package %s from root...", name)
	o.script(name, "prerm", nil, "remove")
	for _, path := range slices.Sorted(maps.Keys(p.Sums)) {
		if slices.Contains(p.Conffiles, path) && o.sum(path) != p.Sums[path] {
			o.say("Not deleting modified conffile %s.", path)
			continue
		}
		if err := o.remove(path); err != nil {
			return err
		}
	}
	o.script(name, "postrm", nil, "remove")
	o.forget(name)
	return o.save(opkgState, slices.DeleteFunc(all, func(i installed) bool { return i.Name == name }))
}

// Installed is the names and versions of what is installed, one a line, as opkg list-installed prints them.
func (o Opkg) Installed() (string, error) {
	all, err := o.load(opkgState)
	var out strings.Builder
	for _, p := range all {
		fmt.Fprintf(&out, "%s - %s\n", p.Name, p.Version)
	}
	return out.String(), err
}

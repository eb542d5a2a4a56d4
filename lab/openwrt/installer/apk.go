// SPDX-License-Identifier: GPL-2.0-or-later

package installer

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"sqmd/release/bundle"
)

// Apk is apk's stand-in. It trusts every package.
type Apk struct{ System }

// Paths of apk on OpenWrt.
const (
	apkState = "/lib/apk/db/installed.json" // the real one is a text of another form, which scripts do not read
	apkArch  = "/etc/apk/arch"
	apkExec  = "/lib/apk/exec/"
)

// Install installs the package that is read, or upgrades to it, as apk add FILE does. An upgrade runs nothing of the old
// package.
func (a Apk) Install(from io.Reader) error {
	p, err := readApk(from)
	if err != nil {
		return err
	}
	all, err := a.load(apkState)
	if err != nil {
		return err
	}
	if err := a.check(p, all); err != nil {
		return fmt.Errorf("package %s: %w", p.Name, err)
	}
	old := find(all, p.Name)
	if old != nil && old.Version == p.Version && maps.Equal(old.Sums, sums(p.files)) {
		a.say("OK: %d packages", len(all))
		return nil
	}
	before, after, args := "pre-install", "post-install", []string{p.Version}
	if old != nil {
		before, after, args = "pre-upgrade", "post-upgrade", []string{p.Version, old.Version}
		a.say("(1/1) Upgrading %s (%s -> %s)", p.Name, old.Version, p.Version)
	} else {
		a.say("(1/1) Installing %s (%s)", p.Name, p.Version)
	}
	if err := a.script(p.installed, before, args...); err != nil {
		return err
	}
	if err := a.unpack(old, p); err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(i installed) bool { return i.Name == p.Name })
	if err := a.save(apkState, append(all, p.installed)); err != nil {
		return err
	}
	return a.script(p.installed, after, args...)
}

// Remove removes a package, as apk del does. Files in /etc that the user has changed stay.
func (a Apk) Remove(name string) error {
	all, err := a.load(apkState)
	if err != nil {
		return err
	}
	p := find(all, name)
	if p == nil {
		return fmt.Errorf("%s: %w", name, ErrNotInstalled)
	}
	gone := *p
	a.say("(1/1) Purging %s (%s)", name, gone.Version)
	if err := a.script(gone, "pre-deinstall", gone.Version); err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(gone.Sums)) {
		if isProtected(file) && a.sum(file) != gone.Sums[file] {
			continue
		}
		if err := a.remove(file); err != nil {
			return err
		}
	}
	all = slices.DeleteFunc(all, func(i installed) bool { return i.Name == name })
	if err := a.save(apkState, all); err != nil {
		return err
	}
	return a.script(gone, "post-deinstall", gone.Version)
}

// Installed is the names and versions of what is installed, one a line, as apk list -I begins them.
func (a Apk) Installed() (string, error) {
	all, err := a.load(apkState)
	var out strings.Builder
	for _, p := range all {
		fmt.Fprintf(&out, "%s-%s\n", p.Name, p.Version)
	}
	return out.String(), err
}

func (a Apk) check(p apkPackage, all []installed) error {
	text, err := os.ReadFile(a.at(apkArch))
	if err != nil {
		return err
	}
	if p.Arch != "noarch" && !slices.Contains(strings.Fields(string(text)), p.Arch) {
		return fmt.Errorf("%s: %w", p.Arch, ErrArch)
	}
	if err := satisfied(p.Depends, all); err != nil {
		return err
	}
	return clash(p.files, all, p.Name, func(string) bool { return false })
}

// unpack puts all files in place, and removes what only the old package had.
func (a Apk) unpack(old *installed, p apkPackage) error {
	for _, f := range p.files {
		if err := a.place(f, a.placeFor(old, f)); err != nil {
			return err
		}
	}
	if old == nil {
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(old.Sums)) {
		if _, still := p.Sums[file]; still || isProtected(file) && a.sum(file) != old.Sums[file] {
			continue
		}
		if err := a.remove(file); err != nil {
			return err
		}
	}
	return nil
}

// placeFor is where a file goes: one in a protected place that is not as the old package had it stays, and the new one
// goes beside it.
func (a Apk) placeFor(old *installed, f bundle.File) string {
	there := a.sum(f.Path)
	if !isProtected(f.Path) || there == "" || there == sumOf(f.Content) {
		return f.Path
	}
	if old != nil && old.Sums[f.Path] == there {
		return f.Path
	}
	return f.Path + ".apk-new"
}

// isProtected tells whether changes of a file are the user's to keep, as OpenWrt's apk is set up: all of /etc, but for
// the scripts in init.d.
func isProtected(file string) bool {
	return strings.HasPrefix(file, "/etc/") && path.Dir(file) != "/etc/init.d"
}

// script runs one of the package's scripts, if it has it, from a file of its own. A failure is told and borne.
func (a Apk) script(p installed, kind string, args ...string) error {
	text := p.Scripts[kind]
	if text == "" || a.Root != "" {
		return nil
	}
	file := apkExec + p.Name + "-" + p.Version + "." + kind
	if err := a.place(bundle.File{Path: file, Mode: 0o755, Content: []byte(text)}, file); err != nil {
		return err
	}
	a.say("Executing %s-%s.%s", p.Name, p.Version, kind)
	if err := a.run(file, []string{"APK_PACKAGE=" + p.Name, "APK_SCRIPT=" + kind}, args...); err != nil {
		a.say("%v", err)
	}
	return os.Remove(a.at(file))
}

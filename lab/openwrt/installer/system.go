// SPDX-License-Identifier: GPL-2.0-or-later

package installer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sqmd/release/bundle"
)

// System is what packages are installed to.
type System struct {
	// Root is the directory that it begins at, "" for the running system. Scripts are run only there.
	Root string
	// Out takes what is said about the progress and what scripts print.
	Out io.Writer
}

// Errors that one may want to tell apart.
var (
	ErrNotInstalled = errors.New("not installed")
	ErrClash        = errors.New("file belongs to another package")
	ErrDependency   = errors.New("package that it depends on is not installed")
	ErrArch         = errors.New("package is for another architecture")
)

// installed is what is known of a package that is installed.
type installed struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Arch      string   `json:"arch"`
	Depends   []string `json:"depends,omitempty"`
	Provides  []string `json:"provides,omitempty"`
	Conffiles []string `json:"conffiles,omitempty"`
	// Sums are the SHA-256 sums of the regular files as they were shipped, by path, "" for links.
	Sums map[string]string `json:"sums,omitempty"`
	// Scripts are those of apk, which keeps them in its database.
	Scripts map[string]string `json:"scripts,omitempty"`
}

func (p installed) provides(name string) bool {
	return p.Name == name || slices.Contains(p.Provides, name)
}

func (s System) at(path string) string { return filepath.Join("/", s.Root, path) }

// place puts a file in its place, in one step, and in place of whatever is there.
func (s System) place(f bundle.File, path string) error {
	target := s.at(path)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	aside := target + ".unpacked"
	err := os.Remove(aside)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	switch {
	case err != nil:
	case f.Link != "":
		err = os.Symlink(f.Link, aside)
	default:
		if err = os.WriteFile(aside, f.Content, f.Mode); err == nil {
			err = os.Chmod(aside, f.Mode) // whatever the umask is
		}
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", path, err)
	}
	return os.Rename(aside, target)
}

// remove deletes a file and the directories that are empty without it.
func (s System) remove(path string) error {
	if err := os.Remove(s.at(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	for dir := filepath.Dir(path); strings.Count(dir, "/") > 1; dir = filepath.Dir(dir) {
		if os.Remove(s.at(dir)) != nil {
			break // not empty
		}
	}
	return nil
}

// sum is the SHA-256 sum of the file that is there, "" if there is none.
func (s System) sum(path string) string {
	content, err := os.ReadFile(s.at(path))
	if err != nil {
		return ""
	}
	return sumOf(content)
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func sums(files []bundle.File) map[string]string {
	all := map[string]string{}
	for _, f := range files {
		all[f.Path] = ""
		if f.Link == "" {
			all[f.Path] = sumOf(f.Content)
		}
	}
	return all
}

// run runs a maintainer script, in an environment of its own but for what is added.
func (s System) run(script string, env []string, args ...string) error {
	command := exec.Command(script, args...)
	command.Dir = "/"
	command.Env = append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, env...)
	command.Stdout, command.Stderr = s.Out, s.Out
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", script, strings.Join(args, " "), err)
	}
	return nil
}

func (s System) say(format string, args ...any) { fmt.Fprintf(s.Out, format+"\n", args...) }

// clash finds a file that belongs to another package.
func clash(files []bundle.File, all []installed, name string, excepted func(path string) bool) error {
	for _, f := range files {
		for _, other := range all {
			if _, taken := other.Sums[f.Path]; taken && other.Name != name && !excepted(f.Path) {
				return fmt.Errorf("%s: %w: %s", f.Path, ErrClash, other.Name)
			}
		}
	}
	return nil
}

// satisfied looks for what a package depends on.
func satisfied(depends []string, all []installed) error {
	for _, name := range depends {
		if !slices.ContainsFunc(all, func(p installed) bool { return p.provides(name) }) {
			return fmt.Errorf("%s: %w", name, ErrDependency)
		}
	}
	return nil
}

func find(all []installed, name string) *installed {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

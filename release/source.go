// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"sqmd/release/recipe"
)

// source is a checkout that packages are built from.
type source struct {
	// dir is the checkout's top folder.
	dir string
	// commit is the one that is checked out, time when it was made.
	commit string
	time   time.Time
	// tags point at the commit.
	tags []string
	// changed are files that differ from the commit, as git status lists them.
	changed []string
}

func readSource(ctx context.Context, dir string) (source, error) {
	s := source{dir: dir}
	head, err := s.git(ctx, "log", "-1", "--format=%H %ct")
	if err != nil {
		return source{}, err
	}
	commit, seconds, _ := strings.Cut(head[0], " ")
	stamp, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return source{}, fmt.Errorf("git's time of commit %s: %w", commit, err)
	}
	s.commit, s.time = commit, time.Unix(stamp, 0).UTC()
	if s.tags, err = s.git(ctx, "tag", "--points-at", commit); err != nil {
		return source{}, err
	}
	s.changed, err = s.git(ctx, "status", "--porcelain")
	return s, err
}

// git runs git in the checkout and returns the lines that it prints.
func (s source) git(ctx context.Context, args ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && len(exit.Stderr) > 0 {
			err = errors.New(strings.TrimSpace(string(exit.Stderr)))
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	text := strings.TrimRight(string(out), "\n")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

// version is that of packages built from the source. A commit without the release's tag is a snapshot, which opkg and
// apk both take for newer than the release that it follows and older than the next one.
func (s source) version(r recipe.Recipe) string {
	if slices.Contains(s.tags, "v"+r.Version) {
		return r.Version + "-r" + r.Release
	}
	return r.Version + "_git" + s.time.Format("20060102150405") + "-r1"
}

// checkRelease says why the source is not the release of a tag.
func (s source) checkRelease(tag string, r recipe.Recipe) error {
	switch {
	case tag != "v"+r.Version:
		return fmt.Errorf("the tag is %s, but the recipe's PKG_VERSION is %s", tag, r.Version)
	case !slices.Contains(s.tags, tag):
		return fmt.Errorf("commit %.12s is not the one that tag %s is on", s.commit, tag)
	case len(s.changed) > 0:
		return fmt.Errorf("the checkout differs from the commit:%s", strings.Join(append([]string{""}, s.changed...), "\n  "))
	}
	return nil
}

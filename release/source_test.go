// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"strings"
	"testing"
	"time"

	"sqmd/release/apk"
	"sqmd/release/recipe"
)

func TestVersion(t *testing.T) {
	r := recipe.Recipe{Version: "0.3.0", Release: "2"}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name string
		tags []string
		want string
	}{
		{"release", []string{"nightly", "v0.3.0"}, "0.3.0-r2"},
		{"snapshot", nil, "0.3.0_git20260102030405-r1"},
		{"other tag", []string{"v0.2.0", "0.3.0"}, "0.3.0_git20260102030405-r1"},
	} {
		got := source{time: at, tags: c.tags}.version(r)
		if got != c.want {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
		if !apk.ValidVersion(got) {
			t.Errorf("%s: apk refuses version %s", c.name, got)
		}
	}
}

// A snapshot replaces the release before it, an older snapshot, and no release after it.
func TestVersionsAreOrdered(t *testing.T) {
	r := recipe.Recipe{Version: "0.3.0", Release: "1"}
	older := source{time: time.Unix(1_700_000_000, 0).UTC()}.version(r)
	newer := source{time: time.Unix(1_700_000_001, 0).UTC()}.version(r)
	versions := []string{"0.3.0-r1", "0.3.0-r2", older, newer, "0.3.1-r1"}
	for i, v := range versions[1:] {
		if apk.CompareVersions(versions[i], v) != -1 {
			t.Errorf("%s is not older than %s", versions[i], v)
		}
	}
}

func TestCheckRelease(t *testing.T) {
	r := recipe.Recipe{Version: "0.3.0", Release: "1"}
	for _, c := range []struct {
		name   string
		tag    string
		source source
		want   string // empty: no error
	}{
		{"right", "v0.3.0", source{tags: []string{"v0.3.0"}}, ""},
		{"another version", "v0.3.1", source{tags: []string{"v0.3.0", "v0.3.1"}}, "PKG_VERSION is 0.3.0"},
		{"tag elsewhere", "v0.3.0", source{commit: "0123456789abcdef"}, "commit 0123456789ab is not the one"},
		{"changes", "v0.3.0", source{tags: []string{"v0.3.0"}, changed: []string{" M README.md"}}, "\n   M README.md"},
	} {
		err := c.source.checkRelease(c.tag, r)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

func TestSection(t *testing.T) {
	const changelog = "# Changelog\n\n## Unreleased\n\n### Added\n\n- new\n\n## [0.2.0] - 2026-01-01\n\n- old\n\n## 0.1.0\n"
	for _, c := range []struct{ version, want string }{
		{"Unreleased", "### Added\n\n- new"},
		{"0.2.0", "- old"},
		{"0.1.0", ""},
		{"0.2", ""},
	} {
		if got := section(changelog, c.version); got != c.want {
			t.Errorf("%s: %q; want %q", c.version, got, c.want)
		}
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sqmd/release/arch"
)

// fixture is a repository with a package whose program says its version and nothing else, and a page for it.
var fixture = map[string]string{
	"CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- Something.\n\n## 1.2.3\n\n### Added\n\n- All of it.\n",
	"package/Makefile": `include $(TOPDIR)/rules.mk
PKG_NAME:=sqmd
PKG_VERSION:=1.2.3
PKG_RELEASE:=1
PKG_LICENSE:=GPL-2.0-or-later
GO_PKG_BUILD_PKG:=sqmd/cmd/sqmd
GO_PKG_INSTALL_BIN_PATH:=/usr/sbin

define Package/sqmd
  SECTION:=net
  TITLE:=A package
  DEPENDS:=$(GO_ARCH_DEPENDS) +kmod-b +kmod-a
endef

define Package/sqmd/description
  For tests.
endef

define Package/sqmd/conffiles
/etc/config/sqmd
endef

define Package/sqmd/install
	$(call GoPackage/Package/Install/Bin,$(1))
	$(CP) ./files/* $(1)/
endef

define Package/sqmd/prerm
#!/bin/sh
echo "$${PKG_UPGRADE}"
endef

$(eval $(call BuildPackage,sqmd))
`,
	"package/files/etc/config/sqmd": "config sqmd\n",
	"package/files/etc/init.d/sqmd": "#!/bin/sh /etc/rc.common\n",
	"luci-app/Makefile": `include $(TOPDIR)/rules.mk
PKG_VERSION:=1.2.3
PKG_RELEASE:=1
PKG_LICENSE:=GPL-2.0-or-later
LUCI_NAME:=luci-app-sqmd
LUCI_TITLE:=A page
LUCI_DEPENDS:=+luci-base +sqmd
include $(TOPDIR)/feeds/luci/luci.mk
# call BuildPackage - OpenWrt buildroot signature
`,
	"luci-app/htdocs/luci-static/resources/view/sqmd/a.js": "'use strict';\n'require view';\n\n// Empty.\nreturn view.extend({});\n",
	"luci-app/root/usr/share/luci/menu.d/sqmd.json":        "{}\n",
	"luci-app/po/templates/sqmd.pot":                       "msgid \"\"\nmsgstr \"\"\n",
	"luci-app/po/zh_Hans/sqmd.po":                          "msgid \"Queue\"\nmsgstr \"队列\"\n",
	"go.mod":                                               "module sqmd\n\ngo 1.23\n",
	"cmd/sqmd/main.go":                                     "package main\n\nvar released string\n\nfunc main() { println(\"sqmd\", released) }\n",
	"scripts/build": `#!/bin/sh
set -e
cd "$(dirname "$0")/.."
CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.released=$SQMD_VERSION" -gcflags=all=-l -o "$1" ./cmd/sqmd
`,
}

// newFixture makes the repository, with one commit.
func newFixture(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repository")
	for name, content := range fixture {
		if err := write(filepath.Join(dir, name), []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"scripts/build", "package/files/etc/init.d/sqmd"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "git", "init", "-q")
	run(t, dir, "git", "add", ".")
	run(t, dir, "git", "-c", "user.name=test", "-c", "user.email=test", "commit", "-q", "-m", "all")
	return dir
}

// run returns what a command prints.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// testKeys are for one test.
func testKeys(t *testing.T) Keys {
	t.Helper()
	keys, err := DevelopmentKeys(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// twoArches differ in processor, word size and byte order.
func twoArches(t *testing.T) []arch.Arch {
	t.Helper()
	var arches []arch.Arch
	for _, name := range []string{"mips_24kc", "x86_64"} {
		a, ok := arch.Lookup(name)
		if !ok {
			t.Fatalf("no architecture %s", name)
		}
		arches = append(arches, a)
	}
	return arches
}

// buildFixture builds into a new folder. It returns that and what was logged.
func buildFixture(t *testing.T, o Options) (dir, log string) {
	t.Helper()
	var lines strings.Builder
	o.Log = &lines
	o.Out = filepath.Join(t.TempDir(), "out")
	if err := Build(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return o.Out, lines.String()
}

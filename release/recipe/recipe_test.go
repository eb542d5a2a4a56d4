// SPDX-License-Identifier: GPL-2.0-or-later

package recipe

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/release/bundle"
)

const example = `# A comment.
include $(TOPDIR)/rules.mk

PKG_NAME:=hello
PKG_VERSION:=1.2
PKG_RELEASE:=3
PKG_LICENSE:=MIT
PKG_SOURCE:=$(PKG_NAME)-$(PKG_VERSION)$(SUFFIX)
GO_PKG:=example
GO_PKG_BUILD_PKG:=$(GO_PKG)/cmd/hello
GO_PKG_INSTALL_BIN_PATH:=/usr/sbin

include $(INCLUDE_DIR)/package.mk

define Package/hello
  SECTION:=net
  CATEGORY:=Network
  TITLE:=Says $(PKG_NAME)
  DEPENDS:=$(GO_ARCH_DEPENDS) +kmod-b +kmod-a kmod-a
  PROVIDES:=greeter
endef

define Package/hello/description
  First line,
    indented one.

  Costs $$1.
endef

define Package/hello/conffiles
/etc/config/hello
/etc/config/a
endef

define Build/Prepare
	anything $(goes
endef

define Package/hello/install
	$(call GoPackage/Package/Install/Bin,$(1))
	$(CP) ./files/* $(1)/
endef

define Package/hello/postinst
#!/bin/sh
[ -n "$${IPKG_INSTROOT}" ] || echo $(PKG_NAME) $$1
endef

$(eval $(call GoBinPackage,hello))
$(eval $(call BuildPackage,hello))
`

func tree(makefile string) fstest.MapFS {
	return fstest.MapFS{
		"package/Makefile":                {Data: []byte(makefile), Mode: 0o644},
		"package/files/etc/config/hello":  {Data: []byte("config hello\n"), Mode: 0o600},
		"package/files/etc/config/a":      {Mode: 0o664},
		"package/files/etc/init.d/.hello": {Data: []byte("#!/bin/sh\n"), Mode: 0o775},
	}
}

func TestRead(t *testing.T) {
	got, err := Read(tree(example), "package")
	if err != nil {
		t.Fatal(err)
	}
	want := Recipe{
		Version: "1.2",
		Release: "3",
		Packages: []Package{{
			Bundle: bundle.Package{
				Name:        "hello",
				Title:       "Says hello",
				Description: "First line,\n  indented one.\n\nCosts $1.",
				License:     "MIT",
				Section:     "net",
				Source:      "feeds/packages/net/hello",
				Depends:     []string{"kmod-a", "kmod-b"},
				Provides:    []string{"greeter"},
				Conffiles:   []string{"/etc/config/a", "/etc/config/hello"},
				Files: []bundle.File{
					{Path: "/etc/config/a", Mode: 0o644, Content: []byte{}},
					{Path: "/etc/config/hello", Mode: 0o644, Content: []byte("config hello\n")},
					{Path: "/etc/init.d/.hello", Mode: 0o755, Content: []byte("#!/bin/sh\n")},
				},
				Scripts: bundle.Scripts{PostInstall: "[ -n \"${IPKG_INSTROOT}\" ] || echo hello $1\n"},
			},
			Program: "/usr/sbin/hello",
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadNoArch(t *testing.T) {
	makefile := strings.Replace(example, "  SECTION:=net\n", "  SECTION:=net\n  PKGARCH:=all\n", 1)
	makefile = strings.Replace(makefile, "\t"+installProgram+"\n", "", 1)
	r, err := Read(tree(makefile), "package")
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Packages[0]; p.Bundle.Arch != bundle.NoArch || p.Program != "" {
		t.Errorf("architecture %q, program %q; want %q and none", p.Bundle.Arch, p.Program, bundle.NoArch)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"include", "include $(INCLUDE_DIR)/package.mk", "include ../../qt.mk",
			"package/Makefile:13: what include ../../qt.mk does to a package is not known"},
		{"assignment", "PKG_NAME:=hello", "PKG_NAME=hello", "package/Makefile:4: "},
		{"condition", "PKG_SOURCE:=", "ifdef CONFIG_X\nPKG_SOURCE:=", "package/Makefile:8: "},
		{"twice", "PKG_NAME:=hello", "PKG_NAME:=hello\nPKG_NAME:=other", "package/Makefile:5: PKG_NAME is assigned twice"},
		{"no version", "PKG_VERSION:=1.2\n", "", "package/Makefile: PKG_VERSION is not assigned"},
		{"no licence", "PKG_LICENSE:=MIT\n", "", "package/Makefile: PKG_LICENSE is not assigned"},
		{"unknown variable", "PKG_VERSION:=1.2", "PKG_VERSION:=$(LATEST)", "package/Makefile:5: $(LATEST) is not assigned here"},
		{"circle", "PKG_VERSION:=1.2", "PKG_VERSION:=$(PKG_VERSION)", "package/Makefile:5: the variables in"},
		{"call", "PKG_VERSION:=1.2", "PKG_VERSION:=$(shell date)", "package/Makefile:5: $(shell date) is not assigned here"},
		{"single dollar", "$$1\nendef", "$1\nendef", "a shell's $ is written $$"},
		{"field", "  CATEGORY:=Network", "  USERID:=hello", "package/Makefile:17: what USERID does"},
		{"no field", "  CATEGORY:=Network", "  $(call Package/other)", "package/Makefile:17: "},
		{"architecture", "  CATEGORY:=Network", "  PKGARCH:=mips", "package/Makefile:17: PKGARCH is"},
		{"conditional dependency", "+kmod-b", "+IPV6:kmod-b", "package/Makefile:19: dependency \"+IPV6:kmod-b\""},
		{"dependency on a target", "+kmod-b", "@TARGET_x86", "package/Makefile:19: dependency \"@TARGET_x86\""},
		{"script's first line", "#!/bin/sh", "#!/bin/bash", "package/Makefile:45: the script begins with"},
		{"part", "Package/hello/postinst", "Package/hello/preinst", "what define Package/hello/preinst does"},
		{"other block", "Build/Prepare", "Package/hello-doc", "what define Package/hello-doc does"},
		{"install", "$(CP) ./files/*", "$(CP) ./files/etc", "package/Makefile:41: "},
		{"block without end", "$$1\nendef", "$$1", "define Package/hello/postinst has no endef"},
		{"block twice", "Build/Prepare", "Package/hello", "package/Makefile:35: Package/hello is defined twice"},
		{"no package", "$(eval $(call BuildPackage,hello))\n", "", "no $(eval $(call BuildPackage,...))"},
		{"other package", "BuildPackage,hello", "BuildPackage,other", "package/Makefile:50: there is no define Package/other"},
		{"other call", "GoBinPackage", "GoSrcPackage", "package/Makefile:49: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			makefile := strings.Replace(example, c.old, c.new, 1)
			if makefile == example {
				t.Fatalf("no %q in the example", c.old)
			}
			_, err := Read(tree(makefile), "package")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one with %q", err, c.want)
			}
		})
	}
}

func TestReadRefusesFiles(t *testing.T) {
	for _, c := range []struct {
		name, file string
		mode       fs.FileMode
		want       string
	}{
		{"link", "package/files/etc/link", fs.ModeSymlink | 0o777, "package/files/etc/link: mode Lrwxrwxrwx"},
		{"hidden from the shell's *", "package/files/.keep", 0o644, "package/files/.keep: a name that * does not match"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := tree(example)
			files[c.file] = &fstest.MapFile{Mode: c.mode}
			_, err := Read(files, "package")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one with %q", err, c.want)
			}
		})
	}
	if _, err := Read(fstest.MapFS{}, "package"); err == nil {
		t.Error("no Makefile, and no error")
	}
	if _, err := Read(fstest.MapFS{"package/Makefile": {Data: []byte(example)}}, "package"); err == nil {
		t.Error("no files, and no error")
	}
}

func TestComplete(t *testing.T) {
	r, err := Read(tree(example), "package")
	if err != nil {
		t.Fatal(err)
	}
	stamp := time.Unix(1, 0)
	p := r.Packages[0].Complete("1.2-r3", "x86_64", stamp, []byte("program"))
	if p.Version != "1.2-r3" || p.Arch != "x86_64" || !p.Time.Equal(stamp) {
		t.Errorf("version %s, architecture %s, time %v", p.Version, p.Arch, p.Time)
	}
	want := bundle.File{Path: "/usr/sbin/hello", Mode: 0o755, Content: []byte("program")}
	if diff := cmp.Diff(append(slices.Clone(r.Packages[0].Bundle.Files), want), p.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// The recipe of this repository is one that is understood, and its package holds the tree of files.
func TestRepository(t *testing.T) {
	root := filepath.Join("..", "..")
	r, err := Read(os.DirFS(root), "package")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	files := filepath.Join(root, "package", "files")
	err = filepath.WalkDir(files, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			want = append(want, filepath.ToSlash(strings.TrimPrefix(name, files)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Packages[0]
	want = append(want, "/usr/sbin/sqmd")
	slices.Sort(want)
	var got []string
	for _, f := range p.Complete("1", "x86_64", time.Unix(0, 0), []byte("program")).Files {
		got = append(got, f.Path)
		if shell := strings.HasPrefix(f.Path, "/etc/init.d/"); shell && f.Mode != 0o755 {
			t.Errorf("%s has mode %04o", f.Path, f.Mode)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files of the package (-want +got):\n%s", diff)
	}
	if p.Bundle.Name != "sqmd" || !slices.Contains(p.Bundle.Depends, "kmod-sched-cake") {
		t.Errorf("package %s depends on %v", p.Bundle.Name, p.Bundle.Depends)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(example)
	f.Add(luciExample)
	f.Add("define X\nendef\nA:=$(A)\n")
	f.Fuzz(func(t *testing.T, makefile string) {
		files := tree(makefile)
		files["package/htdocs/a.js"] = &fstest.MapFile{Data: []byte("return 1;")}
		files["package/root/a"] = &fstest.MapFile{}
		r, err := Read(files, "package")
		if err == nil && (r.Version == "" && !strings.Contains(makefile, "PKG_VERSION") || len(r.Packages) == 0) {
			t.Errorf("%+v without an error", r)
		}
	})
}

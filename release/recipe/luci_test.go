// SPDX-License-Identifier: GPL-2.0-or-later

package recipe

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sqmd/release/bundle"
	"sqmd/release/lmo"
)

const luciExample = `include $(TOPDIR)/rules.mk

PKG_VERSION:=1.2
PKG_RELEASE:=3
PKG_LICENSE:=MIT

LUCI_NAME:=luci-app-hello
LUCI_TITLE:=A page for hello
LUCI_DEPENDS:=+luci-base +hello
LUCI_PKGARCH:=all

include ../../luci.mk

# call BuildPackage - OpenWrt buildroot signature
`

func luciTree(makefile string) fstest.MapFS {
	po := func(text string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"\n\nmsgid \"Hello\"\nmsgstr \"" + text + "\"\n")}
	}
	return fstest.MapFS{
		"page/Makefile":   {Data: []byte(makefile)},
		"page/README.md":  {Data: []byte("Not installed.\n")},
		"page/tests/a.js": {Data: []byte("not(installed")},
		"page/htdocs/luci-static/resources/view/hello.js":   {Data: []byte("'use strict';\n'require view';\n\n// Hello.\nreturn view.extend({});\n")},
		"page/htdocs/luci-static/resources/hello.css":       {Data: []byte("a {\n\tcolor: red;\n}\n")},
		"page/htdocs/luci-static/resources/hello.svg":       {Data: []byte("<svg />\n")},
		"page/root/usr/share/luci/menu.d/luci-app-hello.js": {Data: []byte("{ }\n")},
		"page/root/usr/libexec/rpcd/hello":                  {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
		"page/po/update":                                    {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
		"page/po/templates/hello.pot":                       {Data: []byte("msgid \"\"\nmsgstr \"\"\n")},
		"page/po/de/hello.po":                               po("Hallo"),
		"page/po/de/other.po":                               po("Guten Tag"),
		"page/po/zh_Hans/hello.po":                          po("你好"),
	}
}

func TestReadLuCI(t *testing.T) {
	r, err := Read(luciTree(luciExample), "page")
	if err != nil {
		t.Fatal(err)
	}
	common := bundle.Package{Arch: "all", License: "MIT", Section: "luci", Source: "feeds/luci/applications/luci-app-hello"}
	app, de, zh := common, common, common
	app.Name, app.Title, app.Depends = "luci-app-hello", "A page for hello", []string{"hello", "luci-base"}
	app.Scripts.PostInstall = luciPostInstall
	app.Files = []bundle.File{
		{Path: "/usr/libexec/rpcd/hello", Mode: 0o755, Content: []byte("#!/bin/sh\n")},
		{Path: "/usr/share/luci/menu.d/luci-app-hello.js", Mode: 0o644, Content: []byte("{ }\n")},
		{Path: "/www/luci-static/resources/hello.css", Mode: 0o644, Content: []byte("a{color:red}\n")},
		{Path: "/www/luci-static/resources/hello.svg", Mode: 0o644, Content: []byte("<svg />\n")},
		{Path: "/www/luci-static/resources/view/hello.js", Mode: 0o644, Content: []byte(`"use strict";"require view";return view.extend({})`)},
	}
	de.Name, de.Title, de.Depends = "luci-i18n-hello-de", "luci-app-hello - de translation", []string{"luci-app-hello"}
	de.Description = "Translation for luci-app-hello - Deutsch (German)"
	de.Files = []bundle.File{
		{Path: "/etc/uci-defaults/luci-i18n-hello-de", Mode: 0o644, Content: []byte("uci set luci.languages.de='Deutsch (German)'; uci commit luci\n")},
		{Path: "/usr/lib/lua/luci/i18n/hello.de.lmo", Mode: 0o644},
		{Path: "/usr/lib/lua/luci/i18n/other.de.lmo", Mode: 0o644},
	}
	zh.Name, zh.Title, zh.Depends = "luci-i18n-hello-zh-cn", "luci-app-hello - zh-cn translation", []string{"luci-app-hello"}
	zh.Description = "Translation for luci-app-hello - 简体中文 (Simplified Chinese)"
	zh.Files = []bundle.File{
		{Path: "/etc/uci-defaults/luci-i18n-hello-zh-cn", Mode: 0o644, Content: []byte("uci set luci.languages.zh_cn='简体中文 (Simplified Chinese)'; uci commit luci\n")},
		{Path: "/usr/lib/lua/luci/i18n/hello.zh-cn.lmo", Mode: 0o644},
	}
	want := Recipe{Version: "1.2", Release: "3", Packages: []Package{{Bundle: app}, {Bundle: de}, {Bundle: zh}}}
	if diff := cmp.Diff(want, r, catalogueApart); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, c := range []struct {
		at   bundle.File
		want string
	}{
		{r.Packages[1].Bundle.Files[1], "Hallo"},
		{r.Packages[1].Bundle.Files[2], "Guten Tag"},
		{r.Packages[2].Bundle.Files[1], "你好"},
	} {
		catalogue, err := lmo.Read(c.at.Content)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := catalogue.Text("", "Hello", -1); got != c.want {
			t.Errorf("%s: %q; want %q", c.at.Path, got, c.want)
		}
	}
}

// catalogueApart compares files, but not what is in a catalogue.
var catalogueApart = cmp.Comparer(func(a, b bundle.File) bool {
	if strings.HasSuffix(a.Path, ".lmo") {
		a.Content, b.Content = nil, nil
	}
	return reflect.DeepEqual(a, b)
})

// An app may have its own scripts and settings, and no translation.
func TestReadLuCIOwnParts(t *testing.T) {
	tree := luciTree(luciExample + `
define Package/luci-app-hello/conffiles
/etc/config/hello
endef

define Package/luci-app-hello/postinst
#!/bin/sh
echo $$1
endef

define Package/luci-app-hello/prerm
#!/bin/sh
echo gone
endef
`)
	for name := range tree {
		if strings.HasPrefix(name, "page/po/") {
			delete(tree, name)
		}
	}
	r, err := Read(tree, "page")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Packages) != 1 {
		t.Fatalf("%d packages; want one", len(r.Packages))
	}
	p := r.Packages[0].Bundle
	want := bundle.Scripts{PostInstall: "echo $1\n", PreRemove: "echo gone\n"}
	if p.Scripts != want || !slices.Equal(p.Conffiles, []string{"/etc/config/hello"}) {
		t.Errorf("scripts %q, conffiles %q", p.Scripts, p.Conffiles)
	}
}

func TestReadLuCIRefuses(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"variable", "LUCI_PKGARCH:=all", "LUCI_MINIFY_JS:=0", "page/Makefile:10: what LUCI_MINIFY_JS does"},
		{"architecture", "LUCI_PKGARCH:=all", "LUCI_PKGARCH:=mips", "page/Makefile:10: LUCI_PKGARCH is \"mips\""},
		{"no name", "LUCI_NAME:=", "PKG_NAME:=", "page/Makefile: LUCI_NAME is not assigned"},
		{"no title", "LUCI_TITLE:=A page for hello\n", "", "page/Makefile: LUCI_TITLE is not assigned"},
		{"no licence", "PKG_LICENSE:=MIT\n", "", "page/Makefile: PKG_LICENSE is not assigned"},
		{"no version", "PKG_VERSION:=1.2\n", "", "page/Makefile: PKG_VERSION is not assigned"},
		{"theme", "luci-app-hello", "luci-theme-hello", "page/Makefile:7: LUCI_NAME is \"luci-theme-hello\""},
		{"dependency", "+hello", "+@hello", "page/Makefile:9: dependency \"+@hello\""},
		{"block", "# call", "define Package/luci-app-hello/install\nendef\n# call", "what define Package/luci-app-hello/install does"},
	} {
		t.Run(c.name, func(t *testing.T) {
			makefile := strings.Replace(luciExample, c.old, c.new, 1)
			if makefile == luciExample {
				t.Fatalf("no %q in the example", c.old)
			}
			if _, err := Read(luciTree(makefile), "page"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one with %q", err, c.want)
			}
		})
	}
}

func TestReadLuCIRefusesFiles(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"Lua", "page/luasrc/a.lua", "", "what the folder page/luasrc does"},
		{"program", "page/src/Makefile", "", "what the folder page/src does"},
		{"script", "page/htdocs/a.js", "let = ;", "page/htdocs/a.js:1: "},
		{"style", "page/htdocs/a.css", "}", "page/htdocs/a.css:1: "},
		{"language", "page/po/tlh/hello.po", "", "page/po/tlh: LuCI knows no such language"},
		{"no catalogue", "page/po/fr/hello.pot", "", "page/po/fr: there is no .po file"},
		{"catalogue", "page/po/fr/hello.po", "msgid \"\"\nmsgstr\n", "page/po/fr/hello.po: line 2: "},
		{"empty catalogue", "page/po/fr/hello.po", "", "page/po/fr/hello.po: nothing is translated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := luciTree(luciExample)
			tree[c.file] = &fstest.MapFile{Data: []byte(c.content)}
			if _, err := Read(tree, "page"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one with %q", err, c.want)
			}
		})
	}
}

// maxPage is what the page may weigh, in bytes, before a router's flash compresses it.
const maxPage = 62_000

// The app of this repository is one that is understood. It has all of its files, what a translation needs, and little
// weight.
func TestLuCIRepository(t *testing.T) {
	root := filepath.Join("..", "..")
	r, err := Read(os.DirFS(root), "luci-app")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range r.Packages {
		names = append(names, p.Bundle.Name)
	}
	want := []string{"luci-app-sqmd", "luci-i18n-sqmd-de", "luci-i18n-sqmd-es", "luci-i18n-sqmd-fr", "luci-i18n-sqmd-zh-cn"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	app := r.Packages[0].Bundle
	if diff := cmp.Diff([]string{"luci-base", "sqmd"}, app.Depends); diff != "" {
		t.Errorf("dependencies (-want +got):\n%s", diff)
	}
	page := 0
	for _, f := range app.Files {
		if strings.HasPrefix(f.Path, "/www/") {
			page += len(f.Content)
		}
	}
	if page > maxPage {
		t.Errorf("the page has %d bytes; it may have %d", page, maxPage)
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later

package recipe

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"sqmd/release/bundle"
	"sqmd/release/minify"
)

// This file knows what LuCI's luci.mk makes of a Makefile that includes it, and of the folders beside it.

// luciVariables are those whose effect is known; luci.mk has more.
var luciVariables = map[string]bool{
	luciName: true, "LUCI_TITLE": true, "LUCI_DEPENDS": true, "LUCI_DESCRIPTION": true, "LUCI_PKGARCH": true,
	"LUCI_URL": true, "LUCI_MAINTAINER": true,
}

// luciParts are the blocks that luci.mk leaves to an app.
var luciParts = []string{"/conffiles", "/postinst", "/prerm"}

// luciName is the variable that names the app, and through it the translations.
const luciName = "LUCI_NAME"

// luciPrefix begins the name of an app. The rest is what its translations are named after.
const luciPrefix = "luci-app-"

// luciPostInstall is luci.mk's: menus are cached, and rpcd reads access lists as it starts.
const luciPostInstall = `[ -n "${IPKG_INSTROOT}" ] || {
	rm -f /tmp/luci-indexcache*
	rm -rf /tmp/luci-modulecache/
	/etc/init.d/rpcd reload 2>/dev/null
	exit 0
}
`

// readLuCI makes the packages of an app: its own and one for each language.
func (m *makefile) readLuCI(tree fs.FS) ([]Package, error) {
	app, err := m.describeLuCI()
	if err != nil {
		return nil, err
	}
	if err := m.refuseOthers([]string{app.Name}, luciParts); err != nil {
		return nil, err
	}
	if err := m.upkeep(&app); err != nil {
		return nil, err
	}
	if app.Scripts.PostInstall == "" {
		app.Scripts.PostInstall = luciPostInstall
	}
	dir := path.Dir(m.file)
	if app.Files, err = readLuCIFiles(tree, dir); err != nil {
		return nil, err
	}
	translations, err := translations(tree, path.Join(dir, "po"), app)
	return append([]Package{{Bundle: app}}, translations...), err
}

// describeLuCI is what the variables say of the app. luci.mk would do without LUCI_NAME and take the folder's name, which
// is another one here.
func (m *makefile) describeLuCI() (bundle.Package, error) {
	for _, name := range slices.Sorted(maps.Keys(m.variables)) {
		if strings.HasPrefix(name, "LUCI_") && !luciVariables[name] {
			return bundle.Package{}, m.variables[name].errorf("what %s does to a package is not known", name)
		}
	}
	p := bundle.Package{Arch: bundle.NoArch, Section: "luci"}
	for _, v := range []struct {
		name  string
		value *string
	}{{luciName, &p.Name}, {"LUCI_TITLE", &p.Title}, {"PKG_LICENSE", &p.License}} {
		var err error
		if *v.value, err = m.variable(v.name); err != nil {
			return p, err
		}
	}
	if !strings.HasPrefix(p.Name, luciPrefix) {
		return p, m.variables[luciName].errorf("%s is %q; an app's begins with %s", luciName, p.Name, luciPrefix)
	}
	p.Source = "feeds/luci/applications/" + p.Name
	if arch, ok := m.variables["LUCI_PKGARCH"]; ok && arch.text != bundle.NoArch {
		return p, arch.errorf("LUCI_PKGARCH is %q; it can only be %s", arch.text, bundle.NoArch)
	}
	var err error
	if text, ok := m.variables["LUCI_DESCRIPTION"]; ok {
		if p.Description, err = m.expand(text); err != nil {
			return p, err
		}
	}
	p.Depends, err = m.depends(m.variables["LUCI_DEPENDS"])
	return p, err
}

// luciFolders are where the files beside the Makefile go on a router.
var luciFolders = map[string]string{"htdocs": "/www", "root": ""}

// readLuCIFiles reads what luci.mk installs, in order of the paths; scripts and style sheets get smaller as in its build.
func readLuCIFiles(tree fs.FS, dir string) ([]bundle.File, error) {
	for _, name := range []string{"luasrc", "ucode", "src"} {
		if _, err := fs.Stat(tree, path.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("what the folder %s does to a package is not known", path.Join(dir, name))
		}
	}
	var all []bundle.File
	for from, to := range luciFolders {
		files, err := readFiles(tree, path.Join(dir, from))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if to != "" {
				if f.Content, err = smaller(path.Join(dir, from, f.Path), f.Content); err != nil {
					return nil, err
				}
			}
			f.Path = to + f.Path
			all = append(all, f)
		}
	}
	sortFiles(all)
	return all, nil
}

func smaller(name string, content []byte) ([]byte, error) {
	switch path.Ext(name) {
	case ".js":
		return minify.JavaScript(name, content)
	case ".css":
		return minify.CSS(name, content)
	}
	return content, nil
}

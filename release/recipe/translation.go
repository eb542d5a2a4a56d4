// SPDX-License-Identifier: GPL-2.0-or-later

package recipe

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"sqmd/release/bundle"
	"sqmd/release/lmo"
)

// language is one that luci.mk knows.
type language struct {
	// code is LuCI's own, in names of packages and files; without one it is that of the folder in po.
	code string
	// name is what LuCI offers the language as.
	name string
}

// languages are LuCI's, by their folders in po. For others luci.mk makes no package.
var languages = map[string]language{
	"ar":      {"", "العربية (Arabic)"},
	"bg":      {"", "български (Bulgarian)"},
	"bn_BD":   {"bn", "বাংলা (Bengali)"},
	"ca":      {"", "Català (Catalan)"},
	"cs":      {"", "Čeština (Czech)"},
	"da":      {"", "Dansk (Danish)"},
	"de":      {"", "Deutsch (German)"},
	"el":      {"", "Ελληνικά (Greek)"},
	"es":      {"", "Español (Spanish)"},
	"fa":      {"", "Farsi (Persian)"},
	"fi":      {"", "Suomi (Finnish)"},
	"fil":     {"", "Filipino (Philippinic)"},
	"fr":      {"", "Français (French)"},
	"ga":      {"", "Gaeilge (Irish)"},
	"he":      {"", "עִבְרִית (Hebrew)"},
	"hi":      {"", "हिंदी (Hindi)"},
	"hu":      {"", "Magyar (Hungarian)"},
	"it":      {"", "Italiano (Italian)"},
	"ja":      {"", "日本語 (Japanese)"},
	"ka":      {"", "ქართული ენა (Georgian)"},
	"ko":      {"", "한국어 (Korean)"},
	"lo":      {"", "ພາສາລາວ (Lao)"},
	"lt":      {"", "Lietuvių (Lithuanian)"},
	"lv":      {"", "Latviešu (Latvian)"},
	"mr":      {"", "Marāṭhī (Marathi)"},
	"ms":      {"", "Bahasa Melayu (Malay)"},
	"nb_NO":   {"no", "Norsk (Norwegian)"},
	"nl":      {"", "Nederlands (Dutch)"},
	"pl":      {"", "Polski (Polish)"},
	"pt":      {"", "Português (Portuguese)"},
	"pt_BR":   {"pt-br", "Português do Brasil (Brazilian Portuguese)"},
	"ro":      {"", "Română (Romanian)"},
	"ru":      {"", "Русский (Russian)"},
	"sk":      {"", "Slovenčina (Slovak)"},
	"sv":      {"", "Svenska (Swedish)"},
	"ta":      {"", "Tamil (Tamil)"},
	"tr":      {"", "Türkçe (Turkish)"},
	"uk":      {"", "Українська (Ukrainian)"},
	"vi":      {"", "Tiếng Việt (Vietnamese)"},
	"yua":     {"", "Yucateco (Yucatec Maya)"},
	"zh_Hans": {"zh-cn", "简体中文 (Simplified Chinese)"},
	"zh_Hant": {"zh-tw", "正體中文 (Traditional Chinese)"},
}

const (
	// templates is the folder in po that holds no language.
	templates = "templates"
	// catalogues is where LuCI looks for translations.
	catalogues = "/usr/lib/lua/luci/i18n/"
)

// translations are the packages of an app for the languages in folder po, in order of the folders. There need not be any.
func translations(tree fs.FS, po string, app bundle.Package) ([]Package, error) {
	entries, err := fs.ReadDir(tree, po)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading translations: %w", err)
	}
	var all []Package
	for _, e := range entries {
		if !e.IsDir() || e.Name() == templates {
			continue
		}
		p, err := translation(tree, path.Join(po, e.Name()), app)
		if err != nil {
			return nil, err
		}
		all = append(all, Package{Bundle: p})
	}
	return all, nil
}

// translation is the package for the language in a folder: a catalogue for each file, and the language's registration
// with LuCI, which runs once.
func translation(tree fs.FS, dir string, app bundle.Package) (bundle.Package, error) {
	l, ok := languages[path.Base(dir)]
	if !ok {
		return bundle.Package{}, fmt.Errorf("%s: LuCI knows no such language", dir)
	}
	if l.code == "" {
		l.code = path.Base(dir)
	}
	name := fmt.Sprintf("luci-i18n-%s-%s", strings.TrimPrefix(app.Name, luciPrefix), l.code)
	p := bundle.Package{
		Name:        name,
		Arch:        bundle.NoArch,
		Title:       fmt.Sprintf("%s - %s translation", app.Name, l.code),
		Description: fmt.Sprintf("Translation for %s - %s", app.Name, l.name),
		License:     app.License,
		Section:     app.Section,
		Source:      app.Source,
		Depends:     []string{app.Name},
	}
	register := fmt.Sprintf("uci set luci.languages.%s='%s'; uci commit luci\n", strings.ReplaceAll(l.code, "-", "_"), l.name)
	p.Files = []bundle.File{{Path: "/etc/uci-defaults/" + name, Mode: 0o644, Content: []byte(register)}}

	files, err := fs.Glob(tree, path.Join(dir, "*.po"))
	if err != nil {
		return p, err
	}
	if len(files) == 0 {
		return p, fmt.Errorf("%s: there is no .po file", dir)
	}
	for _, file := range files {
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return p, err
		}
		catalogue, err := lmo.Compile(text)
		if err != nil {
			return p, fmt.Errorf("%s: %w", file, err)
		}
		base := strings.TrimSuffix(path.Base(file), ".po")
		p.Files = append(p.Files, bundle.File{Path: catalogues + base + "." + l.code + ".lmo", Mode: 0o644, Content: catalogue})
	}
	sortFiles(p.Files)
	return p, nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

package minify

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDirectives(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         []string
	}{
		{"none", "return 1;", nil},
		{"order", "'use strict';\n'require view';\n\"require a.b as c\";x('y');'require d'", []string{"use strict", "require view", "require a.b as c"}},
		{"comments", "// it's\n/* 'require a' */ 'require b' // \"\n'require c'", []string{"require b", "require c"}},
		{"whatever is between", "f(1 / 2);'require a'", []string{"require a"}},
		{"no end", "'require a';'require b", []string{"require a"}},
		{"comment without end", "'require a';/* 'require b'", []string{"require a"}},
		{"no module", "'require'", nil},
	} {
		if diff := cmp.Diff(c.want, Directives([]byte(c.source))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestJavaScript(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"directives", "// Licence\n'use strict';\n'require view';\n'require sqmd.chart as chart';\n\nreturn view.extend({});\n",
			`"use strict";"require view";"require sqmd.chart as chart";return view.extend({})`},
		{"text", "return '\u961f\\u5217';", "return\"\u961f\u5217\""},
		{"own names are shorter", "const someName = L.env; return [ someName, someName ];", "const n=L.env;return[n,n]"},
		{"comment at the end", "return 1; // one", "return 1"},
	} {
		got, err := JavaScript("a.js", []byte(c.source))
		if err != nil || strings.TrimSuffix(string(got), ";") != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// What the loader calls a module's function with may not be declared in it, and is not, though the module does not
// mention it and short names are scarce.
func TestJavaScriptLeavesParameters(t *testing.T) {
	var source strings.Builder
	source.WriteString("'use strict';\n'require a';\n'require b.c as d';\n'require e-f';\n")
	for i := range 100 {
		source.WriteString("const name" + strings.Repeat("x", i) + " = other(" + string(rune('0'+i%10)) + "), pair" + strings.Repeat("y", i) + " = 1;\n")
	}
	small, err := JavaScript("a.js", []byte(source.String()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := JavaScript("again.js", []byte("function body(window, document, L, a, d, e_f) {"+string(small)+"}")); err != nil {
		t.Errorf("%v in:\n%s", err, small)
	}
}

func TestJavaScriptRefuses(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"syntax", "return 1;\nlet = ;", "a.js:2: "},
		{"more than a body", "}, function() {", "a.js:1: "},
		{"directives that are none", "return 'require a' + 'require b';", "minifying a.js: its directives"},
		{"newer", "class A { #a = 1; get() { return this.#a; } }\nreturn A;", "minifying a.js: it is newer than ES2020"},
	} {
		if got, err := JavaScript("a.js", []byte(c.source)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s, error %v; want one with %q", c.name, got, err, c.want)
		}
	}
}

func TestCSS(t *testing.T) {
	got, err := CSS("a.css", []byte("/* Licence */\n.sqmd-card {\n\tcolor: var(--text-color-high, #404040);\n\tmargin: 0 0 0 0;\n}\n"))
	if want := ".sqmd-card{color:var(--text-color-high, #404040);margin:0}\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := CSS("a.css", []byte("a { color: red; }}\n")); err == nil || !strings.Contains(err.Error(), "a.css:1: ") {
		t.Errorf("error %v; want one of a.css:1", err)
	}
}

// modules are those of the app, and one of what may be in others.
func modules(t *testing.T) []string {
	t.Helper()
	files := []string{filepath.Join("testdata", "module.js")}
	err := filepath.WalkDir(filepath.Join("..", "..", "luci-app", "htdocs"), func(name string, _ fs.DirEntry, err error) error {
		if filepath.Ext(name) == ".js" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 {
		t.Fatalf("modules %v; want those of the app, too", files)
	}
	return files
}

// Node finds the same in every module before and after.
func TestSameUnderNode(t *testing.T) {
	dir := t.TempDir()
	var pairs []string
	for _, file := range modules(t) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		small, err := JavaScript(file, source)
		if err != nil {
			t.Fatal(err)
		}
		if len(small) >= len(source) {
			t.Errorf("%s: %d bytes became %d", file, len(source), len(small))
		}
		pairs = append(pairs, save(t, dir, source), save(t, dir, small))
	}
	if differences := evaluate(t, pairs...); differences != "" {
		t.Error(differences)
	}
}

// The comparison finds what a minifier could do wrong.
func TestNodeFindsDifferences(t *testing.T) {
	const module = "'use strict';'require view';'require a as b';return view.extend({ f(x, y) { return [ b.c(x, y / 2), _('t') ]; }, g: /a b/ })"
	for _, c := range []struct{ old, new string }{
		{"'require a as b'", "'require a as b2'"},
		{"'require view';'require a as b'", "'require a as b';'require view'"},
		{"b.c(", "b.d("},
		{"y / 2", "y"},
		{"f(x, y)", "f(y, x)"},
		{"_('t')", "_('u')"},
		{"[ b.c", "[ , b.c"},
		{"/a b/", "/ab/"},
		{"g:", "h:"},
	} {
		changed := strings.Replace(module, c.old, c.new, 1)
		dir := t.TempDir()
		if changed == module || evaluate(t, save(t, dir, []byte(module)), save(t, dir, []byte(changed))) == "" {
			t.Errorf("no difference between %s and %s", c.old, c.new)
		}
	}
}

func save(t *testing.T, dir string, module []byte) string {
	t.Helper()
	f, err := os.CreateTemp(dir, "*.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(module); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func evaluate(t *testing.T, files ...string) string {
	t.Helper()
	out, err := exec.Command("node", append([]string{filepath.Join("testdata", "evaluate.js")}, files...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, out)
	}
	return string(out)
}

func FuzzJavaScript(f *testing.F) {
	source, err := os.ReadFile(filepath.Join("testdata", "module.js"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(source)
	f.Add([]byte("'require a';/*"))
	f.Add([]byte("});x(function(){"))
	f.Fuzz(func(t *testing.T, source []byte) {
		small, err := JavaScript("a.js", source)
		if err != nil {
			return
		}
		if diff := cmp.Diff(Directives(source), Directives(small)); diff != "" {
			t.Errorf("directives (-before +after):\n%s", diff)
		}
	})
}

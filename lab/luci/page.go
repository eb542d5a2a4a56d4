// SPDX-License-Identifier: GPL-2.0-or-later

package luci

import (
	"cmp"
	"encoding/json"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Where LuCI has its pages and its files.
const (
	scriptName = "/cgi-bin/luci"
	resources  = "/luci-static/resources"
	firstPage  = "admin/network/sqmd/overview"
	apps       = "admin/network/sqmd"
)

// menuEntry is one of a file of menu.d.
type menuEntry struct {
	Title  string
	Order  int
	Action struct{ Type, Path string }
}

// tab is a page of the app.
type tab struct {
	Title, Path, URL string
	Current          bool
	order            int
}

// tabs reads the app's pages from its menu.
func (s *Server) tabs(current string, query url.Values) (all []tab, err error) {
	root := os.DirFS(s.App + "/root")
	files, err := fs.Glob(root, "usr/share/luci/menu.d/*.json")
	for _, file := range files {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		var entries map[string]menuEntry
		if err := json.Unmarshal(text, &entries); err != nil {
			return nil, err
		}
		for path, e := range entries {
			if !strings.HasPrefix(path, apps+"/") || e.Action.Type != "view" {
				continue
			}
			link := scriptName + "/" + path
			if len(query) > 0 {
				link += "?" + query.Encode()
			}
			all = append(all, tab{e.Title, e.Action.Path, link, path == current, e.Order})
		}
	}
	slices.SortFunc(all, func(a, b tab) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.URL, b.URL)) })
	return all, err
}

// page is one of LuCI's pages around a view. Its query chooses:
//
//	theme   bootstrap (default) or material
//	mode    light (default) or dark, which only bootstrap has
//	dir     ltr (default) or rtl
//	lang    en (default) or one of the folders of po
//	login   full (default) or readonly
//	ubus    uhttpd (default) or luci: who answers calls, with a difference where an object is missing
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	path := strings.Trim(strings.TrimPrefix(r.URL.Path, scriptName), "/")
	query := r.URL.Query()
	tabs, err := s.tabs(path, query)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	view, found := strings.CutPrefix(path, "admin/network/")
	for _, t := range tabs {
		if t.Current {
			view, found = t.Path, true
		}
	}
	if !found {
		http.NotFound(w, r)
		return
	}
	choice := func(name, otherwise string) string { return cmp.Or(query.Get(name), otherwise) }
	session, ubusPath := Full, "/ubus/"
	if choice("login", "full") == "readonly" {
		session = ReadOnly
	}
	if choice("ubus", "uhttpd") == "luci" {
		ubusPath = scriptName + "/admin/ubus"
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = layout.Execute(w, map[string]any{
		"Theme": choice("theme", "bootstrap"), "Dark": choice("mode", "light") == "dark", "Dir": choice("dir", "ltr"),
		"Language": choice("lang", "en"), "Resources": resources, "Tabs": tabs, "View": view,
		"Environment": map[string]any{
			"token": session, "sessionid": session, "resource": resources, "media": resources, "scriptname": scriptName,
			"pathinfo": "/" + path, "requestpath": strings.Split(path, "/"), "dispatchpath": strings.Split(path, "/"),
			"pollinterval": 5, "ubuspath": ubusPath, "lang": choice("lang", "en"),
			"apply_rollback": 90, "apply_holdoff": 1, "apply_timeout": 5, "apply_display": 1,
			"nodespec": map[string]any{"satisfied": true, "readonly": session == ReadOnly},
		},
	})
}

var layout = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="{{.Language}}" dir="{{.Dir}}"{{if .Dark}} data-darkmode="true"{{end}}>
<head>
<meta charset="utf-8">
<title>lab | LuCI</title>
<meta name="viewport" content="initial-scale=1.0">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{{.Resources}}/cbi.css">
<link rel="stylesheet" href="{{.Resources}}/{{.Theme}}.css">
<script src="{{.Resources}}/luci.js"></script>
<script src="/translations/{{.Language}}"></script>
</head>
<body class="lang_{{.Language}}" data-page="{{.View}}">
<header><span class="brand">lab</span><div id="indicators"></div></header>
<main id="maincontent" class="container">
<ul class="tabs" id="tabmenu">{{range .Tabs}}
<li{{if .Current}} class="active"{{end}}><a href="{{.URL}}" data-title="{{.Title}}">{{.Title}}</a></li>{{end}}
</ul>
<div id="view"><div class="spinning">Loading view…</div></div>
</main>
<script>
L = new LuCI({{.Environment}});
L.require('ui').then(function(ui) { ui.instantiateView({{.View}}); });
</script>
</body>
</html>
`))

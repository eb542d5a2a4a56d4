// SPDX-License-Identifier: GPL-2.0-or-later

package luci

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/luci/wire"
)

const acl = `{ "app": { "description": "x",
	"read": { "ubus": { "sqmd": [ "overview" ], "rc": [ "list" ] }, "uci": [ "sqm" ] },
	"write": { "ubus": { "rc": [ "init" ] }, "uci": [ "sqm" ] } } }`

const menu = `{ "admin/network/sqmd": { "title": "SQM", "action": { "type": "firstchild" } },
	"admin/network/sqmd/b": { "title": "Second", "order": 20, "action": { "type": "view", "path": "sqmd/b" } },
	"admin/network/sqmd/a": { "title": "First", "order": 10, "action": { "type": "view", "path": "sqmd/a" } } }`

// echo is a router that answers with what it was asked, but for some methods.
type echo struct{}

func (echo) Call(_ context.Context, c wire.Call) (wire.Answer, error) {
	switch c.Method {
	case "overview":
		return wire.Answer{Code: statusNotFound}, nil
	case "init":
		return wire.Answer{}, errors.New("no answer")
	}
	text, err := json.Marshal(c)
	return wire.Answer{Reply: text}, err
}

func serveApp(t *testing.T) string {
	t.Helper()
	app := t.TempDir()
	files := map[string]string{
		"root/usr/share/rpcd/acl.d/a.json":            acl,
		"root/usr/share/luci/menu.d/a.json":           menu,
		"htdocs/luci-static/resources/view/sqmd/a.js": "of the app",
		"po/de/sqmd.po": "msgid \"\"\nmsgstr \"x\"\n\nmsgid \"Upload\"\nmsgstr \"Hoch\"\n\"laden\"\n\nmsgctxt \"noun\"\nmsgid \"one\"\nmsgid_plural \"many\"\nmsgstr[0] \"eins\"\nmsgstr[1] \"viele\"\n\nmsgid \"none\"\nmsgstr \"\"\n",
	}
	for name, text := range files {
		path := filepath.Join(app, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer((&Server{App: app, Router: echo{}}).Handler())
	t.Cleanup(server.Close)
	return server.URL
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v, status %d", url, err, response.StatusCode)
	}
	return string(text)
}

func TestCallsAreHeldAgainstTheAccessList(t *testing.T) {
	call := func(session, object, method, args string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"call","params":["` + session + `","` + object + `","` + method + `",` + args + `]}`
	}
	failed := func(code, text string) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":` + code + `,"message":"` + text + `"}}`
	}
	echoed := func(session, object, method, args string) string {
		return `{"jsonrpc":"2.0","id":1,"result":[0,{"session":"` + session + `","object":"` + object + `","method":"` + method + `","args":` + args + `}]}`
	}
	denied := failed("-32002", "Access denied")
	tests := map[string]struct{ page, body, want string }{
		"no such session":            {"/ubus/", call("x", "rc", "list", "{}"), denied},
		"opened":                     {"/ubus/", call(ReadOnly, "rc", "list", `{"a":1}`), echoed(ReadOnly, "rc", "list", `{"a":1}`)},
		"not opened":                 {"/ubus/", call(Full, "sqmd", "stop", "{}"), denied},
		"an object of nobody's":      {"/ubus/", call(Full, "lab", "run", "{}"), denied},
		"writing, reading only":      {"/ubus/", call(ReadOnly, "rc", "init", "{}"), denied},
		"no answer":                  {"/ubus/", call(Full, "rc", "init", "{}"), failed("-32003", "ubus request timed out")},
		"missing":                    {"/ubus/", call(Full, "sqmd", "overview", "{}"), failed("-32000", "Object not found")},
		"missing, says LuCI":         {"/cgi-bin/luci/admin/ubus", call(Full, "sqmd", "overview", "{}"), `{"jsonrpc":"2.0","id":1,"result":[4]}`},
		"a configuration":            {"/ubus/", call(ReadOnly, "uci", "get", `{"config":"sqm"}`), echoed(ReadOnly, "uci", "get", `{"config":"sqm"}`)},
		"another configuration":      {"/ubus/", call(Full, "uci", "get", `{"config":"wireless"}`), `{"jsonrpc":"2.0","id":1,"result":[6]}`},
		"changing it":                {"/ubus/", call(Full, "uci", "set", `{"config":"sqm"}`), echoed(Full, "uci", "set", `{"config":"sqm"}`)},
		"changing it, reading only":  {"/ubus/", call(ReadOnly, "uci", "set", `{"config":"sqm"}`), denied},
		"what may be done":           {"/ubus/", call(ReadOnly, "session", "access", `{"scope":"uci","object":"sqm","function":"write"}`), `{"jsonrpc":"2.0","id":1,"result":[0,{"access":false}]}`},
		"what may be done by others": {"/ubus/", call(Full, "session", "access", `{"scope":"ubus","object":"rc","function":"init"}`), `{"jsonrpc":"2.0","id":1,"result":[0,{"access":true}]}`},
		"several":                    {"/ubus/", "[" + call("x", "a", "b", "{}") + "," + call(Full, "rc", "list", "{}") + "]", "[" + denied + "," + echoed(Full, "rc", "list", "{}") + "]"},
		"no JSON":                    {"/ubus/", "{", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`},
		"no request":                 {"/ubus/", `{"jsonrpc":"2.0","id":1,"method":"call","params":[]}`, failed("-32600", "Invalid request")},
		"no such method":             {"/ubus/", `{"jsonrpc":"2.0","id":1,"method":"list","params":["","","",{}]}`, failed("-32601", "Method not found")},
	}
	url := serveApp(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, post(t, url+test.page, test.body)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPages(t *testing.T) {
	url := serveApp(t)
	page := get(t, url+"/cgi-bin/luci/admin/network/sqmd/b?mode=dark&dir=rtl&theme=material&login=readonly")
	for _, want := range []string{`dir="rtl" data-darkmode="true"`, "material.css", `instantiateView("sqmd/b")`, ReadOnly, `"readonly":true`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if first, second := strings.Index(page, ">First<"), strings.Index(page, ">Second<"); first < 0 || second < first {
		t.Errorf("tabs are not in their order:\n%s", page)
	}
	if text := get(t, url+"/luci-static/resources/view/sqmd/a.js"); text != "of the app" {
		t.Errorf("a file of the app is %q", text)
	}
	if text := get(t, url+"/luci-static/resources/form.js"); !strings.Contains(text, "NamedSection") {
		t.Errorf("the stand-in's form is %q", text)
	}
}

func TestTranslations(t *testing.T) {
	want := "LuCI.translations = {\"Upload\":[\"Hochladen\"],\"noun\\u0001one\":[\"eins\",\"viele\"]};\n"
	if diff := cmp.Diff(want, get(t, serveApp(t)+"/translations/de")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestValues(t *testing.T) {
	url := serveApp(t)
	want := `{"values":{"a":{".anonymous":false,".index":0,".name":"a",".type":"queue","l":["1","2"],"o":"it's"}}}`
	got := post(t, url+"/values", "config queue a\n\toption o \"it's\"\n\tlist l 1\n\tlist l 2\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

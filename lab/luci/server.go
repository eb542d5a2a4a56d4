// SPDX-License-Identifier: GPL-2.0-or-later

package luci

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sqmd/lab/luci/router"
	"sqmd/lab/luci/wire"
)

// Caller makes calls on a router; [Machine] is one.
type Caller interface {
	Call(ctx context.Context, call wire.Call) (wire.Answer, error)
}

// Server is the web server of a router. Its fields are set before the first use.
type Server struct {
	// App is the folder luci-app, with htdocs, root and po in it.
	App string
	// Router is what answers calls.
	Router Caller

	calls calls
}

//go:embed standin
var standin embed.FS

// Names of the two sessions. They last as long as the server.
const (
	Full     = "11111111111111111111111111111111"
	ReadOnly = "22222222222222222222222222222222"
)

// session gives a session by its name. The ACL files are read each time: whoever edits them need not start anew.
func (s *Server) session(id string) (Session, bool) {
	if id != Full && id != ReadOnly {
		return Session{}, false
	}
	groups, err := readGroups(os.DirFS(s.App + "/root"))
	if err != nil {
		return Session{}, false
	}
	return Session{ID: id, ReadOnly: id == ReadOnly, groups: groups}, true
}

// Handler is all that the server serves.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /ubus/", s.ubusPage(false))
	mux.HandleFunc("POST "+scriptName+"/admin/ubus", s.ubusPage(true))
	mux.HandleFunc("GET "+scriptName+"/", s.page)
	mux.HandleFunc("GET "+resources+"/", s.resource)
	mux.HandleFunc("GET /translations/{language}", s.translations)
	mux.HandleFunc("POST /lab/{method}", s.control)
	mux.HandleFunc("POST /values", values)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, scriptName+"/"+firstPage, http.StatusFound)
	})
	return http.TimeoutHandler(mux, answerPatience, "the router did not answer in time\n")
}

// answerPatience is how long a page may wait for anything.
const answerPatience = 70 * time.Second

// resource gives a file of luci-app, or of the stand-in where luci-app has none.
func (s *Server) resource(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	name := strings.TrimPrefix(r.URL.Path, "/")
	app := os.DirFS(s.App + "/htdocs")
	if _, err := fs.Stat(app, name); err == nil {
		http.ServeFileFS(w, r, app, name)
		return
	}
	http.ServeFileFS(w, r, standin, "standin/"+strings.TrimPrefix(name, strings.TrimPrefix(resources, "/")+"/"))
}

// control passes what a test wants on to the router, and tells how many calls pages have made.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	args, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	method := r.PathValue("method")
	if method == "calls" {
		_ = json.NewEncoder(w).Encode(s.calls.take())
		return
	}
	answer, err := s.Router.Call(r.Context(), wire.Call{Object: "lab", Method: method, Args: args})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if answer.Code != 0 {
		http.Error(w, fmt.Sprintf("%s: code %d: %s", method, answer.Code, answer.Reply), http.StatusBadGateway)
		return
	}
	if answer.Reply == nil {
		answer.Reply = json.RawMessage("{}")
	}
	_, _ = w.Write(answer.Reply)
}

// values answers the text of a configuration with its sections as rpcd shows them, without a router.
func values(w http.ResponseWriter, r *http.Request) {
	reply, err := func() (any, error) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp("", "values-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if err := os.WriteFile(filepath.Join(dir, "config"), text, 0o600); err != nil {
			return nil, err
		}
		return router.Values(dir, "config")
	}()
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply) // who does not read it is gone
}

// calls counts what pages call.
type calls struct {
	mu  sync.Mutex
	all []string
}

func (c *calls) count(call wire.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, call.Object+" "+call.Method)
}

// take gives the calls since it was last called, in their order.
func (c *calls) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return append([]string{}, all...)
}

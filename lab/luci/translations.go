// SPDX-License-Identifier: GPL-2.0-or-later

package luci

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// translations gives the texts of a language, from the app's po files, as a script; none for English.
func (s *Server) translations(w http.ResponseWriter, r *http.Request) {
	language := filepath.Base(r.PathValue("language"))
	texts := map[string][]string{}
	if text, err := os.ReadFile(filepath.Join(s.App, "po", language, "sqmd.po")); err == nil {
		texts = readPO(string(text))
	}
	list, err := json.Marshal(texts)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	fmt.Fprintf(w, "LuCI.translations = %s;\n", list)
}

// readPO reads a catalogue of gettext: the translations, several where there are plurals, by the text, with its context
// and a \x01 before it where it has one. What is not translated is left out.
func readPO(text string) map[string][]string {
	all := map[string][]string{}
	var context, id string
	var translated []string
	var open *string // what a line that is only a string goes on with
	finish := func() {
		if id != "" && len(translated) > 0 && strings.Join(translated, "") != "" {
			if context != "" {
				id = context + "\x01" + id
			}
			all[id] = translated
		}
		context, id, translated, open = "", "", nil, nil
	}
	for _, line := range strings.Split(text, "\n") {
		keyword, rest, _ := strings.Cut(line, " ")
		if strings.HasPrefix(line, `"`) {
			keyword, rest = "", line
		}
		value, err := strconv.Unquote(strings.TrimSpace(rest))
		if err != nil {
			continue
		}
		switch {
		case keyword == "msgctxt":
			finish()
			context, open = value, &context
		case keyword == "msgid":
			if open != &context {
				finish()
			}
			id, open = value, &id
		case strings.HasPrefix(keyword, "msgstr"):
			translated = append(translated, value)
			open = &translated[len(translated)-1]
		case keyword == "msgid_plural":
			open = new(string)
		case keyword == "" && open != nil:
			*open += value
		}
	}
	finish()
	return all
}

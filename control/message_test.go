// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzRequest reads bytes from a peer as the server does: what is taken for a
// request is a method and an object, and survives being sent again.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		"{\"method\":\"status\",\"args\":{\"device\":\"eth1\"}}\n", "{\"method\":\"plan\"}\n", "{\"method\":\"\",\"args\":null}\n",
		"{\"method\":\"a\",\"args\":[]}\n", "{}\n", "\n", "", "{\"method\":\"a\"}", "{\"METHOD\":\"a\",\"args\": {\"a\":{}} }\r\n",
		"{\"method\":\"a\",\"args\":\"{\"}\n", "null\n", "[1]\n", "{\"method\":\"\\ud800\"}\n", strings.Repeat("[", 5000) + "\n",
		padded(maxRequest) + "\n", padded(maxRequest+1) + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bufio.NewReader(iotest.HalfReader(bytes.NewReader(data)))
		line, err := readLine(in, maxRequest)
		if err != nil {
			return
		}
		if len(line) > maxRequest || !bytes.HasPrefix(data, append(bytes.Clone(line), '\n')) {
			t.Fatalf("line %q of %q", line, data)
		}
		r, err := parseRequest(line)
		if err != nil {
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(r.Args, &object); err != nil || object == nil || r.Method == "" {
			t.Fatalf("request %+v of %q: %v", r, line, err)
		}
		again, err := formatRequest(r.Method, r.Args)
		if err != nil {
			return // escapes made it longer than allowed
		}
		back, err := parseRequest(bytes.TrimSuffix(again, []byte("\n")))
		if err != nil || back.Method != r.Method {
			t.Fatalf("%q came back as %+v: %v", line, back, err)
		}
	})
}

// FuzzAnswer decodes what a server may send.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{`{"reply":{}}`, `{"reply":null}`, `{"error":"text"}`, `{"error":""}`, `{}`, `null`, `{"reply":1,"error":"x"}`, `{"reply`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var reply any
		if err := parseAnswer(data, &reply); err == nil && !json.Valid(data) {
			t.Fatalf("%q is an answer", data)
		}
	})
}

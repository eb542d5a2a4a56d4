// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden reads a frame from testdata: hex, with comments after '#'.
func golden(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".hex")
	if err != nil {
		t.Fatal(err)
	}
	var digits strings.Builder
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "#") {
			digits.WriteString(line)
		}
	}
	frame, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return frame
}

func goldenMessage(t testing.TB, name string) (message, attrs) {
	t.Helper()
	frame := bytes.NewReader(golden(t, name))
	m, err := readMessage(frame)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if frame.Len() != 0 {
		t.Fatalf("%s: %d bytes left", name, frame.Len())
	}
	a, err := parseAttrs(m.body)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m, a
}

// wanMethods is the object in add-object.hex and lookup-reply.hex.
var wanMethods = []Method{
	{Name: "status"},
	{Name: "echo", Args: []Arg{
		{"n", TypeInt32}, {"s", TypeString}, {"f", TypeBool}, {"t", TypeTable}, {"l", TypeArray},
	}},
	{Name: "fail"},
}

// echoArgs are the arguments in invoke.hex.
var echoArgs = Table{
	"f": true,
	"l": []any{Table{"k": "v"}, false, nil, int64(1 << 32), 0.25},
	"n": int32(-5),
	"s": "wan",
	"t": Table{"a": int32(1), "b": []any{"x", int32(2), []any{}}, "c": Table{}},
}

// wanStatus is the table in reply.hex.
var wanStatus = Table{
	"up":        true,
	"l3_device": "pppoe-wan",
	"short":     int16(-2),
	"uptime":    int32(3600),
	"rx":        int64(5e9),
	"load":      0.5,
	"none":      nil,
	"ipv4-address": []any{
		Table{"address": "192.0.2.1", "mask": int32(24)},
		int32(-7),
	},
	"data": Table{},
}

const wanObject = 0xf59f7b25

func TestReadGoldenFrames(t *testing.T) {
	type head struct {
		Kind uint8
		Seq  uint16
		Peer uint32
	}
	for _, c := range []struct {
		name   string
		want   head
		object uint32
		method string
		data   Table
	}{
		{name: "hello", want: head{kindHello, 0, 0x6983ca7d}},
		{name: "lookup", want: head{kindLookup, 1, 0}},
		{name: "lookup-reply", want: head{kindData, 1, 0}, object: wanObject},
		{name: "status-ok", want: head{kindStatus, 1, 0}},
		{name: "add-object", want: head{kindAddObject, 1, 0}},
		{name: "invoke", want: head{kindInvoke, 2, wanObject}, object: wanObject, method: "echo", data: echoArgs},
		{name: "invoked", want: head{kindInvoke, 2, 0x24516aec}, object: wanObject, method: "echo", data: echoArgs},
		{name: "reply", want: head{kindData, 2, wanObject}, object: wanObject, data: wanStatus},
		{name: "denied", want: head{kindStatus, 2, 0x6f865c82}, object: wanObject},
		{name: "listen", want: head{kindInvoke, 2, eventObject}, object: eventObject, method: "register",
			data: Table{"object": int32(0x14ba3bb6), "pattern": "network.interface"}},
		{name: "event", want: head{kindInvoke, 1, 0}, object: 0x14ba3bb6, method: "network.interface",
			data: Table{"action": "ifup", "interface": "wan"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, a := goldenMessage(t, c.name)
			if diff := cmp.Diff(c.want, head{m.kind, m.seq, m.peer}); diff != "" {
				t.Error(diff)
			}
			if object, _ := a.uint32(attrObject); object != c.object {
				t.Errorf("object %08x, want %08x", object, c.object)
			}
			if method := a.text(attrMethod); method != c.method {
				t.Errorf("method %q, want %q", method, c.method)
			}
			var data Table
			if a[attrData] != nil {
				var err error
				if data, err = decodeTable(a[attrData]); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.data, data); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadGoldenAttributes(t *testing.T) {
	_, lookup := goldenMessage(t, "lookup-reply")
	if path := lookup.text(attrPath); path != "network.interface.wan" {
		t.Errorf("path %q", path)
	}
	methods, err := decodeSignature(lookup[attrSignature])
	if diff := cmp.Diff(wanMethods, methods); err != nil || diff != "" {
		t.Error(err, diff)
	}
	_, invoked := goldenMessage(t, "invoked")
	if user, group := invoked.text(attrUser), invoked.text(attrGroup); user != "root" || group != "root" {
		t.Errorf("caller %q %q, want root root", user, group)
	}
	_, denied := goldenMessage(t, "denied")
	if code, ok := denied.uint32(attrStatus); !ok || statusError(code) != StatusPermissionDenied {
		t.Errorf("status %d", code)
	}
}

// TestWriteGoldenFrames compares with what libubus wrote for the same thing.
func TestWriteGoldenFrames(t *testing.T) {
	signature, err := appendSignature(appendStringAttr(nil, attrPath, "network.interface.wan"), wanMethods)
	if err != nil {
		t.Fatal(err)
	}
	invoke := func(id uint32, method string, args Table) []byte {
		body := appendStringAttr(appendUint32Attr(nil, attrObject, id), attrMethod, method)
		body, err := appendTableAttr(body, attrData, args)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	for name, m := range map[string]message{
		"lookup":     {kind: kindLookup, seq: 1, body: appendStringAttr(nil, attrPath, "network.interface.wan")},
		"add-object": {kind: kindAddObject, seq: 1, body: signature},
		"invoke":     {kind: kindInvoke, seq: 2, peer: wanObject, body: invoke(wanObject, "echo", echoArgs)},
		"listen": {kind: kindInvoke, seq: 2, peer: eventObject, body: invoke(eventObject, "register",
			Table{"object": int32(0x14ba3bb6), "pattern": "network.interface"})},
		"denied": {kind: kindStatus, seq: 2, peer: 0x6f865c82,
			body: appendUint32Attr(appendUint32Attr(nil, attrStatus, 6), attrObject, wanObject)},
	} {
		t.Run(name, func(t *testing.T) {
			frame, err := m.frame()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(hex.Dump(golden(t, name)), hex.Dump(frame)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadMessageRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"version 1":                 "01010001 00000000 0000000c 01000008 00000000",
		"length below its own head": "00010001 00000000 00000003",
		"length zero":               "00010001 00000000 00000000",
		"length above 1 MiB":        "00010001 00000000 00100001",
		"length 16 MiB":             "00010001 00000000 00ffffff",
		"cut in the head":           "00010001 0000",
		"cut in the length":         "00010001 00000000 0000",
		"cut before the body":       "00010001 00000000 0000000c",
		"cut in the body":           "00010001 00000000 0000000c 01000008",
		"nothing":                   "",
	} {
		t.Run(name, func(t *testing.T) {
			frame, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			if m, err := readMessage(bytes.NewReader(frame)); err == nil {
				t.Errorf("read %+v", m)
			}
		})
	}
}

func TestFrameRefusesLargeBody(t *testing.T) {
	if _, err := (message{body: make([]byte, maxBlob-attrHead)}).frame(); err != nil {
		t.Errorf("1 MiB: %v", err)
	}
	if _, err := (message{body: make([]byte, maxBlob)}).frame(); err != errTooLarge {
		t.Errorf("above 1 MiB: %v, want %v", err, errTooLarge)
	}
}

func TestParseAttrs(t *testing.T) {
	known := appendUint32Attr(nil, attrStatus, 4)
	for _, c := range []struct {
		name string
		body []byte
		ok   bool
	}{
		{"empty", nil, true},
		{"newer attribute", appendUint32Attr(bytes.Clone(known), 99, 1), true},
		{"shorter than a head", append(bytes.Clone(known), 0, 0), false},
		{"length below the head", append(bytes.Clone(known), 1, 0, 0, 3), false},
		{"length beyond the end", append(bytes.Clone(known), 1, 0, 0, 9, 0, 0, 0, 0), false},
		{"padding beyond the end", append(bytes.Clone(known), 1, 0, 0, 5, 0), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parseAttrs(c.body); (err == nil) != c.ok {
				t.Errorf("error %v", err)
			}
		})
	}
	a := attrs{attrStatus: {0, 0, 4}, attrMethod: []byte("no end"), attrNoReply: {1, 0}}
	if _, ok := a.uint32(attrStatus); ok || a.text(attrMethod) != "" || a.flag(attrNoReply) {
		t.Error("attributes of a wrong length must count as absent")
	}
}

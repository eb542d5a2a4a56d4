// SPDX-License-Identifier: GPL-2.0-or-later

package procdsh

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said is what the stand-in of procd.sh writes down, of one call per line. A word that is "-" is empty.
func said(lines ...string) string {
	var all strings.Builder
	for _, line := range lines {
		words := strings.Split(line, " ")
		all.WriteString(strconv.Itoa(len(words)) + "\x00")
		for _, w := range words {
			if w == "-" {
				w = ""
			}
			all.WriteString(w + "\x00")
		}
	}
	return all.String()
}

func TestRequest(t *testing.T) {
	got, err := Request(said(
		"open_service sqmd /etc/init.d/sqmd",
		"open_instance",
		"set_param command /usr/sbin/sqmd",
		"append_param command run",
		"set_param respawn 3600 5 0",
		"set_param env A=1 B",
		"set_param file /etc/config/sqm",
		"set_param stdout 1",
		"set_param stderr 0",
		"set_param term_timeout 10",
		"set_param reload_signal HUP",
		"set_param tomorrow yes",
		"add_jail_mount /lost",
		"add_jail sqmd ubus log tomorrow",
		"add_jail_mount /etc/config",
		"add_jail_mount_rw /var/run/sqmd",
		"set_param command /usr/sbin/sqmd run",
		"close_instance",
		"open_instance second",
		"close_instance",
		"add_config_trigger config.change sqm /etc/init.d/sqmd reload",
		"delay 0",
		"add_interface_trigger interface.* wan /etc/init.d/sqmd reload",
		"add_raw_trigger interface.*.up 5000 /bin/x",
	))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "sqmd", "script": "/etc/init.d/sqmd",
		"instances": map[string]any{
			"instance1": map[string]any{
				"command": []any{"/usr/sbin/sqmd", "run"}, "respawn": []any{"3600", "5", "0"},
				"env": map[string]any{"A": "1", "B": ""}, "file": []any{"/etc/config/sqm"},
				"stdout": true, "stderr": false, "term_timeout": int32(10), "reload_signal": int32(1),
				"jail": map[string]any{"name": "sqmd", "ubus": true, "log": true,
					"mount": map[string]any{"/etc/config": "0", "/var/run/sqmd": "1"}},
			},
			"second": map[string]any{},
		},
		"triggers": []any{
			[]any{"config.change", []any{"if", []any{"eq", "package", "sqm"}, []any{"run_script", "/etc/init.d/sqmd", "reload"}}, int32(1000)},
			[]any{"interface.*", []any{"if", []any{"eq", "interface", "wan"}, []any{"run_script", "/etc/init.d/sqmd", "reload"}}},
			[]any{"interface.*.up", []any{[]any{"run_script", "/bin/x"}}, int32(5000)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRefused(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":             "",
		"no number":           "x\x00",
		"too few words":       "3\x00open_service\x00",
		"unknown function":    said("open_service a", "fly to moon"),
		"no open instance":    said("open_service a", "set_param command x"),
		"parameter of what":   said("open_service a", "open_instance", "set_param"),
		"parameter is what":   said("open_service a", "open_instance", "set_param user"),
		"no number of times":  said("open_service a", "open_instance", "set_param nice very"),
		"no signal":           said("open_service a", "open_instance", "set_param reload_signal NEVER"),
		"trigger without end": said("open_service a", "add_config_trigger config.change"),
		"delay of trigger":    said("open_service a", "add_raw_trigger x soon y"),
	} {
		if got, err := Request(text); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add(said("open_service sqmd", "open_instance", "set_param command x", "close_instance"))
	f.Add("2\x00open_service\x00-")
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := Request(text); err == nil && got["name"] == "" {
			t.Errorf("%q made %v", text, got)
		}
	})
}

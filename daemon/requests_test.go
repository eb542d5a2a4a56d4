// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/doctor"
	"sqmd/lab/simkernel"
	"sqmd/ubus"
)

// Every request answers with an object that ubus can carry.
func TestRequestsAnswer(t *testing.T) {
	for name, options := range map[string]string{"cake": someQueue, "htb": someHTB} {
		w := newWorld(t, section("wan", "eth1", options)).start()
		for range 400 {
			w.k.Advance("eth1", simkernel.Traffic{Bytes: 100000, Packets: 100})
			w.pass(time.Second)
		}
		for _, method := range methods {
			arguments := "{}"
			switch method {
			case MethodHistory:
				arguments = `{"device":"eth1","direction":"upload","ubus_rpc_session":"00000000"}`
			case MethodPreview:
				arguments = `{"config":` + jsonOf(t, section("wan", "eth1", options)) + `,"sqmd":"","ubus_rpc_session":"00000000"}`
			}
			reply, err := w.ask(method, arguments)
			if err != nil {
				t.Errorf("%s, %s: %v", name, method, err)
				continue
			}
			if _, err := ubus.TableOf(reply); err != nil {
				t.Errorf("%s, %s: %v", name, method, err)
			}
		}
	}
}

func TestHistoryFollows(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for range 20 {
		w.k.Advance("eth1", simkernel.Traffic{Bytes: 125000, Packets: 100})
		w.pass(time.Second)
	}
	reply, err := w.ask(MethodHistory, `{"device":"eth1","direction":"upload"}`)
	w.must(err)
	h := reply.(HistoryReport)
	if len(h.Series) == 0 || h.Series[0].Name != "total" || len(h.TimesS) < 15 {
		t.Fatalf("history: %+v", h)
	}
	if !slices.Contains(h.Series[0].RateKbit[1:], 1000) {
		t.Errorf("no second with 1000 kbit/s: %v", h.Series[0].RateKbit)
	}
	again, err := w.ask(MethodHistory, `{"device":"eth1","direction":"upload","since_s":`+jsonOf(t, h.NextS)+`}`)
	w.must(err)
	if n := len(again.(HistoryReport).TimesS); n != 0 {
		t.Errorf("%d samples after the newest", n)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRequestsRefused(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for _, c := range []struct {
		method, arguments string
		want              ubus.Status
	}{
		{"nonsense", "{}", ubus.StatusMethodNotFound},
		{"", "{}", ubus.StatusMethodNotFound},
		{MethodStatus, "[]", ubus.StatusInvalidArgument},
		{MethodStatus, "", ubus.StatusInvalidArgument},
		{MethodStatus, `{"device":"eth1"}`, ubus.StatusInvalidArgument},
		{MethodPlan, `{"device":7}`, ubus.StatusInvalidArgument},
		{MethodPlan, `{"device":"eth9"}`, ubus.StatusNotFound},
		{MethodPlan, `{"device":"` + strings.Repeat("x", 1000) + `"}`, ubus.StatusInvalidArgument},
		{MethodOverview, `{"device":"eth1"}`, ubus.StatusInvalidArgument},
		{MethodDevices, `{"config":""}`, ubus.StatusInvalidArgument},
		{MethodPreview, `{}`, ubus.StatusInvalidArgument},
		{MethodPreview, `{"sqmd":""}`, ubus.StatusInvalidArgument},
		{MethodPreview, `{"config":7}`, ubus.StatusInvalidArgument},
		{MethodPreview, `{"config":"","device":"eth1"}`, ubus.StatusInvalidArgument},
		{MethodPreview, `{"config":"` + strings.Repeat("#", maxPreviewText+1) + `"}`, ubus.StatusInvalidArgument},
		{MethodPreview, `{"config":"","sqmd":"` + strings.Repeat("#", maxPreviewText+1) + `"}`, ubus.StatusInvalidArgument},
		{MethodHistory, `{}`, ubus.StatusNotFound},
		{MethodHistory, `{"device":"eth1"}`, ubus.StatusInvalidArgument},
		{MethodHistory, `{"device":"eth1","direction":"sideways"}`, ubus.StatusInvalidArgument},
		{MethodHistory, `{"device":"eth1","direction":"upload"}`, ubus.StatusNoData},
		{MethodHistory, `{"device":"eth1","direction":"upload","since_s":-1}`, ubus.StatusInvalidArgument},
		{MethodHistory, `{"device":"eth1","direction":"upload","limit":99999999999}`, ubus.StatusInvalidArgument},
		{MethodHistory, `{"device":"eth1","direction":"upload","since_s":1e99}`, ubus.StatusInvalidArgument},
	} {
		_, err := w.ask(c.method, c.arguments)
		var status ubus.Status
		if !errors.As(err, &status) || status != c.want {
			t.Errorf("%s %.60s: %v, want %v", c.method, c.arguments, err, c.want)
		}
	}
	w.pass(3 * time.Second)
	if _, err := w.ask(MethodHistory, `{"device":"eth1","direction":"upload","step_s":7}`); !errors.Is(err, ubus.StatusInvalidArgument) {
		t.Errorf("a step of 7: %v", err)
	}
}

// The requests of docs/daemon.md are those that there are, with the same arguments.
func TestDocumentedRequests(t *testing.T) {
	text, err := os.ReadFile("../docs/daemon.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| request |")
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for _, row := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(row, "|")
		for i, quoted := range strings.Split(cells[1]+cells[2], "`") {
			if i%2 == 1 {
				got = append(got, quoted)
			}
		}
	}
	var want []string
	for _, method := range methods {
		want = append(want, method)
		for _, arg := range argumentTypes[method] {
			want = append(want, arg.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests and their arguments (-daemon +document):\n%s", diff)
	}
}

// Whatever the arguments are, they are read or refused, and what is read is
// within its bounds.
func FuzzDecodeArguments(f *testing.F) {
	for _, seed := range []string{"{}", `{"device":"eth1","direction":"upload","since_s":5,"step_s":60,"limit":10}`,
		`{"device":null}`, `{"ubus_rpc_session":"x"}`, `[1]`, `{"device":"` + strings.Repeat("y", 80) + `"}`, "nul", `{"limit":1.5}`} {
		for at := range methods {
			f.Add(at, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, at int, text []byte) {
		method := methods[max(at, -at, 0)%len(methods)]
		a, err := decodeArguments(method, text)
		if err != nil {
			if !errors.Is(err, ubus.StatusInvalidArgument) {
				t.Errorf("%v is no %v", err, ubus.StatusInvalidArgument)
			}
			return
		}
		if len(a.Device) > maxName || len(a.Config) > maxPreviewText || len(a.SQMD) > maxPreviewText {
			t.Errorf("%+v", a)
		}
		if method == MethodStatus && (a != Arguments{Session: a.Session}) {
			t.Errorf("status took arguments: %+v", a)
		}
	})
}

// The doctor speaks of queues without a device too, and of each by its name.
func TestDoctorSpeaksOfAllQueues(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)+section("six", "@wan6", someQueue))
	w.networks = map[string]string{"wan6": ""}
	w.start()
	reply, err := w.ask(MethodDoctor, "{}")
	w.must(err)
	if !slices.ContainsFunc(reply.(DoctorReport).Findings, func(f doctor.Finding) bool { return f.ID == "device-waiting" && f.Queue == "six" }) {
		t.Errorf("no finding about six: %+v", reply)
	}
}

// The states that only the daemon knows are the doctor's too.
func TestDoctorKnowsConflict(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for range conflictRepairs + 1 {
		w.must(w.k.DeleteRoot("eth1"))
		w.pass(time.Second)
	}
	reply, err := w.ask(MethodDoctor, "{}")
	w.must(err)
	if !slices.ContainsFunc(reply.(DoctorReport).Findings, func(f doctor.Finding) bool { return f.ID == "shaper-conflict" }) {
		t.Errorf("no finding about the conflict: %+v", reply)
	}
	w.must(w.c.engine.Records.SetStopped("eth1"))
	w.must(w.k.SetMTU("eth1", 1400))
	w.pass(time.Second)
	reply, err = w.ask(MethodDoctor, "{}")
	w.must(err)
	if !slices.ContainsFunc(reply.(DoctorReport).Findings, func(f doctor.Finding) bool { return f.ID == "stopped-by-hand" }) {
		t.Errorf("no finding about the stop: %+v", reply)
	}
}

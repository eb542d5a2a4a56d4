// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKernelArguments(t *testing.T) {
	guest := Guest{Memory: "256M", Init: "/opt/my tools/sqmlab", KernelArguments: []string{"debug"}}
	inReal := guest
	inReal.RealTime = true
	tests := map[string]struct {
		guest Guest
		spec  spec
		want  string
	}{
		"two outputs": {guest, spec{Control: "/tmp/guest-1"}, `mem=256M rootfstype=hostfs rootflags=/ ro init="/opt/my tools/sqmlab" uml_dir=/tmp/guest-1 ` +
			`con=null con0=null,fd:1 ssl=null quiet panic=-1 ifb.numifbs=0 dummy.numdummies=0 SQMLAB_SPEC=/tmp/guest-1/guest.json time-travel=inf-cpu time-travel-start=1767225600000000000 ssl0=null,fd:3 ssl1=null,fd:4 debug`},
		"input": {guest, spec{Control: "/tmp/guest-1", Input: true}, `mem=256M rootfstype=hostfs rootflags=/ ro init="/opt/my tools/sqmlab" uml_dir=/tmp/guest-1 ` +
			`con=null con0=null,fd:1 ssl=null quiet panic=-1 ifb.numifbs=0 dummy.numdummies=0 SQMLAB_SPEC=/tmp/guest-1/guest.json time-travel=inf-cpu time-travel-start=1767225600000000000 ssl0=fd:0,fd:3 ssl1=null,fd:4 debug`},
		"terminal": {inReal, spec{Control: "/tmp/guest-1", Terminal: true}, `mem=256M rootfstype=hostfs rootflags=/ ro init="/opt/my tools/sqmlab" uml_dir=/tmp/guest-1 ` +
			`con=null con0=null,fd:1 ssl=null quiet panic=-1 ifb.numifbs=0 dummy.numdummies=0 SQMLAB_SPEC=/tmp/guest-1/guest.json ssl0=fd:3,fd:4 debug`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(test.guest.kernelArguments(&test.spec, "/tmp/guest-1/guest.json"), " ")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSpecSurvives(t *testing.T) {
	want := &spec{
		Command: []string{"sh", "-c", `echo "a b" 'c'`}, Env: []string{"A=b c"}, Dir: "/some where",
		Control: t.TempDir(), Out: "/out", Terminal: true, Rows: 24, Columns: 80,
	}
	path, err := want.write()
	if err != nil {
		t.Fatal(err)
	}
	got, err := readSpec(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spec (-written +read):\n%s", diff)
	}
}

func TestExitCodeSurvives(t *testing.T) {
	s := &spec{Control: t.TempDir()}
	if code, err := s.readExit(); err == nil {
		t.Errorf("read exit code %d of a guest that left none", code)
	}
	for _, want := range []int{0, 3, 143} {
		if err := s.writeExit(want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.readExit(); err != nil || got != want {
			t.Errorf("exit code is %d, %v; want %d", got, err, want)
		}
	}
}

func TestCommandIsNeeded(t *testing.T) {
	if _, err := (&Guest{}).prepare(); err == nil {
		t.Error("a guest without a command was prepared")
	}
}

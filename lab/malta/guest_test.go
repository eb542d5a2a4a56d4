// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"sqmd/lab/malta/wire"
)

func TestListen(t *testing.T) {
	for name, test := range map[string]struct {
		frames []wire.Frame
		code   int
		err    string
		stdout string
		stderr string
		stays  bool // and says no more
	}{
		"ends well":    {[]wire.Frame{{Kind: wire.Alive}, {Kind: wire.Started}, {Kind: wire.Stdout, Data: []byte("a")}, {Kind: wire.Stderr, Data: []byte("b")}, {Kind: wire.Stdout, Data: []byte("c")}, {Kind: wire.Exited, Data: []byte("0")}}, 0, "", "ac", "b", false},
		"exit code":    {[]wire.Frame{{Kind: wire.Started}, {Kind: wire.Exited, Data: []byte("7")}}, 7, "", "", "", false},
		"cannot work":  {[]wire.Frame{{Kind: wire.Failed, Data: []byte("load module x: no")}}, 0, "load module x: no", "", "", false},
		"dies":         {[]wire.Frame{{Kind: wire.Started}, {Kind: wire.Stdout, Data: []byte("a")}}, 0, io.EOF.Error(), "a", "", false},
		"hangs":        {[]wire.Frame{{Kind: wire.Started}, {Kind: wire.Stdout, Data: []byte("a")}}, 0, errSilent.Error(), "a", "", true},
		"talks rot":    {[]wire.Frame{{Kind: '?'}}, 0, "sent a frame of kind '?'", "", "", false},
		"no exit code": {[]wire.Frame{{Kind: wire.Exited, Data: []byte("x")}}, 0, `strconv.Atoi: parsing "x": invalid syntax`, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			var sent, stdout, stderr bytes.Buffer
			for _, f := range test.frames {
				if err := wire.NewSender(&sent).Send(f.Kind, f.Data); err != nil {
					t.Fatal(err)
				}
			}
			g := Guest{Stdout: &stdout, Stderr: &stderr}
			ours, theirs, err := socketPair()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			if _, err := theirs.Write(sent.Bytes()); err != nil {
				t.Fatal(err)
			}
			if !test.stays {
				theirs.Close()
			}
			result, err := g.listen(ours, time.Now(), 100*time.Millisecond)
			theirs.Close()
			if err == nil {
				err = errors.New("")
			}
			if result.ExitCode != test.code || err.Error() != test.err || stdout.String() != test.stdout || stderr.String() != test.stderr {
				t.Errorf("code %d, error %q, output %q and %q", result.ExitCode, err, &stdout, &stderr)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	g := Guest{Endian: Big, InstructionNs: 4, Shares: map[string]string{"/src": "/home/a,b", "/in": "/tmp/in"}, OutDir: "/tmp/out", KernelArguments: []string{"debug"}}
	got := g.arguments("/system", "/work")
	for _, want := range [][]string{
		{"-nic", "none"},
		{"-m", "128"},
		{"-icount", "shift=2,sleep=on,align=off"},
		{"-kernel", "/system/kernel"},
		{"-append", "console=ttyS0 quiet panic=1 debug"},
		{"-virtfs", "local,path=/tmp/in,mount_tag=share0,security_model=none,multidevs=remap,readonly=on"},
		{"-virtfs", "local,path=/tmp/out,mount_tag=share1,security_model=none,multidevs=remap"},
		{"-virtfs", "local,path=/home/a,,b,mount_tag=share2,security_model=none,multidevs=remap,readonly=on"},
	} {
		found := false
		for i := range got {
			found = found || slices.Equal(got[i:min(i+2, len(got))], want)
		}
		if !found {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestKernelTrouble(t *testing.T) {
	const calm = "Linux version 6.1\r\nreboot: Restarting system\r\n"
	if err := kernelTrouble(calm); err != nil {
		t.Errorf("calm, but %v", err)
	}
	for _, line := range []string{
		"[    1.2] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100",
		"Oops[#1]:",
		"WARNING: CPU: 0 PID: 1 at net/sched/sch_cake.c:1",
		"Out of memory: Killed process 12 (sqmd)",
	} {
		if err := kernelTrouble(calm + line + "\r\n"); err == nil || err.Error() != line {
			t.Errorf("%q gives %v", line, err)
		}
	}
}

func TestConsoleEnd(t *testing.T) {
	if got := consoleEnd(""); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	got := consoleEnd(strings.Repeat("line\r\n", 50) + "last\r\n")
	if strings.Count(got, "\n\tline") != 29 || !strings.HasSuffix(got, "\n\tlast") {
		t.Errorf("end of a long console: %q", got)
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// asCommand makes the test binary be sqmd.
const asCommand = "SQMD_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// jail is a root directory with sqmd and its configuration, and no other
// program: what works there starts no other process.
type jail struct {
	*box
	dir string
}

func newJail(t *testing.T, config string) *jail {
	t.Helper()
	j := &jail{newBox(t), t.TempDir()}
	for _, d := range []string{"etc/config", "var/run", "proc"} {
		j.must(os.MkdirAll(filepath.Join(j.dir, d), 0o755))
	}
	self, err := os.Open("/proc/self/exe")
	j.must(err)
	defer self.Close()
	program, err := os.OpenFile(filepath.Join(j.dir, "sqmd"), os.O_CREATE|os.O_WRONLY, 0o755)
	j.must(err)
	_, err = io.Copy(program, self)
	j.must(err)
	j.must(program.Close())
	j.must(os.WriteFile(filepath.Join(j.dir, "etc/config/sqm"), []byte(config), 0o600))
	return j
}

func (j *jail) run(args ...string) {
	j.t.Helper()
	c := exec.Command("/sqmd", args...)
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: j.dir}
	c.Dir, c.Env = "/", []string{asCommand + "=1"}
	if out, err := c.CombinedOutput(); err != nil {
		j.t.Fatalf("sqmd %v: %v\n%s", args, err, out)
	}
}

// apply and stop need no other program: the jail has none.
func TestApplyAndStopAlone(t *testing.T) {
	for name, config := range map[string]string{"cake": recipes["piece_of_cake"], "simple": recipes["simple"]} {
		t.Run(name, func(t *testing.T) {
			j := newJail(t, config)
			before := j.snapshot()
			j.run("apply")
			j.run("status")
			j.run("stop")
			if diff := cmp.Diff(before, j.snapshot()); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// The kernel's own tap shows what the whole process asks it to change.
func TestTapShowsNoWriteOfASecondApply(t *testing.T) {
	for name, config := range recipes {
		t.Run(name, func(t *testing.T) {
			j := newJail(t, config)
			tap := j.tap()
			j.run("apply")
			if n := tap(); n == 0 {
				t.Error("the tap saw nothing of the first apply")
			}
			j.run("apply")
			if n := tap(); n != 0 {
				t.Errorf("the second apply sent %d requests for a change", n)
			}
		})
	}
}

// tap starts to watch rtnetlink; each call of the result counts the requests for
// a change that were made since.
func (b *box) tap() func() int {
	b.t.Helper()
	b.must(netlink.LinkAdd(&netlink.GenericLink{LinkAttrs: netlink.LinkAttrs{Name: "tap"}, LinkType: "nlmon"}))
	link, err := netlink.LinkByName("tap")
	b.must(err)
	b.must(netlink.LinkSetUp(link))
	all := binary.NativeEndian.Uint16([]byte{unix.ETH_P_ALL >> 8, unix.ETH_P_ALL & 0xff})
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK, int(all))
	b.must(err)
	b.t.Cleanup(func() { unix.Close(fd) })
	b.must(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 8<<20))
	b.must(unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: link.Attrs().Index}))
	return func() (changes int) {
		buffer := make([]byte, 1<<16)
		for {
			n, _, err := unix.Recvfrom(fd, buffer, 0)
			if err != nil {
				return changes
			}
			changes += requestsForChange(buffer[:n])
		}
	}
}

// requestsForChange counts the rtnetlink requests in a datagram that make,
// alter or delete a link, qdisc, class or filter. Answers and notifications do
// not carry NLM_F_REQUEST.
func requestsForChange(datagram []byte) (n int) {
	for len(datagram) >= unix.SizeofNlMsghdr {
		length := int(binary.NativeEndian.Uint32(datagram))
		typ, flags := binary.NativeEndian.Uint16(datagram[4:]), binary.NativeEndian.Uint16(datagram[6:])
		get := typ%4 == unix.RTM_GETLINK%4
		if flags&unix.NLM_F_REQUEST != 0 && !get && (typ <= unix.RTM_SETLINK || typ >= unix.RTM_NEWQDISC && typ < unix.RTM_NEWACTION) {
			n++
		}
		if length = (length + 3) &^ 3; length < unix.SizeofNlMsghdr || length > len(datagram) {
			return n
		}
		datagram = datagram[length:]
	}
	return n
}

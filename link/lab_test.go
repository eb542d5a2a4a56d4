// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package link

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"sqmd/rtnl"
)

// The tests in files with this build tag run as root in a virtual machine, on a
// real kernel, each in a network namespace of its own: scripts/lab go-test ./link

func newNamespace(t *testing.T) *Conn {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread ends with the test, and the namespace with it
	if _, err := netns.New(); err != nil {
		t.Fatalf("new namespace: %v", err)
	}
	c, err := Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// sameAsKernel compares List with what the netlink package reads.
func sameAsKernel(t *testing.T, c *Conn) {
	t.Helper()
	links, err := netlink.LinkList()
	if err != nil {
		t.Fatal(err)
	}
	var want []Link
	for _, l := range links {
		a := l.Attrs()
		w := Link{Index: a.Index, Name: a.Name, Kind: l.Type(), Alias: a.Alias, MTU: a.MTU, TxQueues: a.NumTxQueues, Master: a.MasterIndex,
			Up: a.RawFlags&syscall.IFF_UP != 0, OperState: strings.ReplaceAll(a.OperState.String(), "-", "")}
		if a.EncapType == "ether" {
			w.Header = 14
		}
		want = append(want, w)
	}
	got, err := c.List()
	if err != nil {
		t.Fatal(err)
	}
	for i := range got { // the package does not read these
		got[i].Carrier, got[i].CarrierUps, got[i].CarrierDowns = false, 0, 0
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("links (-netlink +link):\n%s", d)
	}
}

func TestLabIFB(t *testing.T) {
	c := newNamespace(t)
	sameAsKernel(t, c)
	index, err := c.CreateIFB("ifb4wan", 3)
	if err != nil {
		t.Fatal(err)
	}
	made, err := netlink.LinkByName("ifb4wan")
	if err != nil {
		t.Fatal(err)
	}
	if a := made.Attrs(); made.Type() != "ifb" || a.Index != index || a.TxQLen != 32 || a.NumTxQueues != 3 || a.RawFlags&syscall.IFF_UP != 0 {
		t.Errorf("made a %s with index %d, want %d: %+v", made.Type(), a.Index, index, a)
	}
	for _, alias := range []string{"sqmd:wan", "sqmd:a-longer-device-name", ""} {
		if err := c.SetAlias(index, alias); err != nil {
			t.Fatal(err)
		}
		if l := listed(t, c, index); l.Alias != alias || l.Up {
			t.Errorf("after the alias %q: %+v", alias, l)
		}
	}
	if err := c.SetUp(index); err != nil {
		t.Fatal(err)
	}
	if l := listed(t, c, index); !l.Up || !l.Carrier || l.TxQueues != 3 {
		t.Errorf("after it was set up: %+v", l)
	}
	sameAsKernel(t, c)
	if err := c.Delete(index); err != nil {
		t.Fatal(err)
	}
	if l := listed(t, c, index); l.Index != 0 {
		t.Errorf("deleted, but there is %+v", l)
	}
}

func listed(t *testing.T, c *Conn, index int) Link {
	t.Helper()
	links, err := c.List()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(links, func(l Link) bool { return l.Index == index })
	if at < 0 {
		return Link{}
	}
	return links[at]
}

func TestLabRefusals(t *testing.T) {
	c := newNamespace(t)
	if _, err := c.CreateIFB("ifb0", 1); err != nil {
		t.Fatal(err)
	}
	create := func(name string, queues int) error {
		_, err := c.CreateIFB(name, queues)
		return err
	}
	for name, r := range map[string]struct {
		err  error
		want syscall.Errno
	}{
		"create, name taken":    {create("ifb0", 1), syscall.EEXIST},
		"create, name too long": {create("ifb4abcdefghijkl", 1), syscall.ERANGE},
		"create, no name":       {create("", 1), syscall.EINVAL},
		"create, no queue":      {create("ifb1", 0), syscall.EINVAL},
		"alias, no link":        {c.SetAlias(99, "x"), syscall.ENODEV},
		"alias, no index":       {c.SetAlias(0, "x"), syscall.EINVAL},
		"up, no link":           {c.SetUp(99), syscall.ENODEV},
		"up, no index":          {c.SetUp(0), syscall.ENODEV},
		"delete, no link":       {c.Delete(99), syscall.ENODEV},
		"delete, no index":      {c.Delete(0), syscall.EINVAL},
		"delete the loopback":   {c.Delete(1), syscall.EOPNOTSUPP},
	} {
		if !errors.Is(r.err, r.want) {
			t.Errorf("%s: %v, want %v", name, r.err, r.want)
		}
	}
	var refusal *rtnl.KernelError
	if err := create("ifb1", 0); !errors.As(err, &refusal) || refusal.Message == "" {
		t.Errorf("the kernel's text is not in the error %v", err)
	}
}

func TestLabClose(t *testing.T) {
	c := newNamespace(t)
	c.Close()
	if _, err := c.List(); err == nil {
		t.Error("a closed connection lists links")
	}
}

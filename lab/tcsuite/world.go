// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Devices of a case, as the kernel's own runner names them; the second device of its veth pair is the one that is used.
// DEV2 is "a physical device" there; any device serves, as no packet is sent.
const (
	vethName, vethPeerName = "v0p0", "v0p1"
	physicalName           = "v1p0"
	dummyName              = "dummy1"
	simulatedName          = "eth0"
)

// enterWorld puts the calling thread, and with it the processes that it starts, into a network namespace of its own
// that has the devices which the case takes for granted. Nothing of an earlier case is left in it: shared actions belong
// to a namespace too. The caller's goroutine must be locked to its thread.
func enterWorld(c Case) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make network namespace: %w", err)
	}
	up := []string{"lo"}
	lines := strings.Join(c.Lines(), "\n")
	if strings.Contains(lines, "$DEV0") || strings.Contains(lines, "$DEV1") {
		veth := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: vethName}, PeerName: vethPeerName}
		if err := netlink.LinkAdd(veth); err != nil {
			return fmt.Errorf("add veth pair: %w", err)
		}
		up = append(up, vethName, vethPeerName)
	}
	for variable, name := range map[string]string{"$DEV2": physicalName, "$DUMMY": dummyName} {
		if !strings.Contains(lines, variable) {
			continue
		}
		if err := addDummy(netlink.LinkAttrs{Name: name, TxQLen: -1}); err != nil {
			return err
		}
		up = append(up, name)
	}
	for _, name := range up {
		link, err := netlink.LinkByName(name)
		if err == nil {
			err = netlink.LinkSetUp(link)
		}
		if err != nil {
			return fmt.Errorf("set %s up: %w", name, err)
		}
	}
	return nil
}

// addDummy adds a device that drops what it is given. A TxQLen of -1 leaves the kernel's default.
func addDummy(attributes netlink.LinkAttrs) error {
	if err := netlink.LinkAdd(&netlink.Dummy{LinkAttrs: attributes}); err != nil {
		return fmt.Errorf("add %s: %w", attributes.Name, err)
	}
	return nil
}

// wellKnown are lines that are carried out here, without a process: a process costs 25 ms in a user-mode Linux guest, and
// these lines are in every case.
var wellKnown = []struct {
	line *regexp.Regexp
	do   func(argument string) error
}{
	// ip's own "txqueuelen" is the default limit of a fifo.
	{regexp.MustCompile(`^\$IP link add dev \$DUMMY (?:txqueuelen ([0-9]+) )?type dummy(?: \|\| /bin/true)?$`), addDummyWithLength},
	{regexp.MustCompile(`^\$IP link del dev \$DUMMY(?: type dummy)?$`), func(string) error { return deleteDevice(dummyName) }},
	// A simulated device ("ID PORTS QUEUES", one queue by default), which user-mode Linux kernels lack, is a dummy with as
	// many queues.
	{regexp.MustCompile(`^echo "1 1 ?([0-9]*)" > /sys/bus/netdevsim/new_device$`), addSimulated},
	{regexp.MustCompile(`^echo "1" > /sys/bus/netdevsim/del_device$`), func(string) error { return deleteDevice(simulatedName) }},
	// The kernel lets go of a deleted filter's actions some time later.
	{regexp.MustCompile(`^/bin/sleep 1$`), func(string) error { time.Sleep(time.Second); return nil }},
}

// doWellKnown carries out a line, before its variables are replaced, if it is one of those; otherwise done is false.
func doWellKnown(line string) (done bool, err error) {
	for _, known := range wellKnown {
		if match := known.line.FindStringSubmatch(line); match != nil {
			return true, known.do(strings.Join(match[1:], ""))
		}
	}
	return false, nil
}

// number reads digits, of which there may be none.
func number(digits string, without int) (int, error) {
	if digits == "" {
		return without, nil
	}
	return strconv.Atoi(digits)
}

func addDummyWithLength(digits string) error {
	length, err := number(digits, -1)
	if err != nil {
		return err
	}
	return addDummy(netlink.LinkAttrs{Name: dummyName, TxQLen: length})
}

func addSimulated(digits string) error {
	queues, err := number(digits, 1)
	if err != nil {
		return err
	}
	return addDummy(netlink.LinkAttrs{Name: simulatedName, NumTxQueues: queues, TxQLen: -1})
}

func deleteDevice(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("find %s: %w", name, err)
	}
	return netlink.LinkDel(link)
}

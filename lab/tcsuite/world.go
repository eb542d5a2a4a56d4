// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"fmt"
	"regexp"
	"strconv"

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
// that has the devices which cases take for granted. Nothing of an earlier case is left in it: shared actions belong to
// a namespace too. The caller's goroutine must be locked to its thread.
func enterWorld() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make network namespace: %w", err)
	}
	veth := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: vethName}, PeerName: vethPeerName}
	if err := netlink.LinkAdd(veth); err != nil {
		return fmt.Errorf("add veth pair: %w", err)
	}
	if err := addDummy(physicalName, 1); err != nil {
		return err
	}
	for _, name := range []string{"lo", vethName, vethPeerName, physicalName} {
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

func addDummy(name string, queues int) error {
	dummy := &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Name: name, NumTxQueues: queues}}
	if err := netlink.LinkAdd(dummy); err != nil {
		return fmt.Errorf("add %s with %d queues: %w", name, queues, err)
	}
	return nil
}

// The lines with which cases make a simulated device ("ID PORTS QUEUES", one queue by default) and delete it.
var (
	newSimulated    = regexp.MustCompile(`^echo "1 1 ?([0-9]*)" > /sys/bus/netdevsim/new_device$`)
	deleteSimulated = regexp.MustCompile(`^echo "1" > /sys/bus/netdevsim/del_device$`)
)

// simulated carries out a line for a netdevsim device, which user-mode Linux kernels lack, with a dummy device that has
// as many queues. done is false for other lines.
func simulated(line string) (done bool, err error) {
	if deleteSimulated.MatchString(line) {
		link, err := netlink.LinkByName(simulatedName)
		if err == nil {
			err = netlink.LinkDel(link)
		}
		return true, err
	}
	match := newSimulated.FindStringSubmatch(line)
	if match == nil {
		return false, nil
	}
	queues := 1
	if match[1] != "" {
		if queues, err = strconv.Atoi(match[1]); err != nil {
			return true, err
		}
	}
	return true, addDummy(simulatedName, queues)
}

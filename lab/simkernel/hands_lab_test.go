// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package simkernel

import (
	"slices"
	"strconv"
	"syscall"

	"github.com/vishvananda/netlink"
)

// handSteps are the outside hands on links that both kernels have.
var handSteps = []string{"mtu", "rename", "down", "delete"}

func isHandStep(verb string) bool { return slices.Contains(handSteps, verb) }

func simHand(k *Kernel, w []string) error {
	switch w[0] {
	case "mtu":
		mtu, err := strconv.Atoi(w[2])
		if err != nil {
			return err
		}
		return k.SetMTU(w[1], mtu)
	case "rename":
		return k.Rename(w[1], w[2])
	case "down":
		return k.SetLinkUp(w[1], false)
	}
	return k.DeleteLinkByName(w[1])
}

func realHand(w []string) error {
	link, err := netlink.LinkByName(w[1])
	if err != nil {
		return syscall.ENODEV // the library has an error of its own for it
	}
	switch w[0] {
	case "mtu":
		mtu, err := strconv.Atoi(w[2])
		if err != nil {
			return err
		}
		return netlink.LinkSetMTU(link, mtu)
	case "rename":
		return netlink.LinkSetName(link, w[2])
	case "down":
		return netlink.LinkSetDown(link)
	}
	return netlink.LinkDel(link)
}

// SPDX-License-Identifier: GPL-2.0-or-later

// Package rtnl is the plain exchange with rtnetlink: requests and their
// acknowledgements, dumps, the kernel's refusals, and attributes. What is asked
// for, and what an answer means, is the business of the packages above.
//
// It speaks to the socket itself, because a netlink library brings the package
// net along, which is a tenth of the router's binary.
//
// Sources: netlink(7), rtnetlink(7), linux/netlink.h, net/netlink/af_netlink.c.
package rtnl

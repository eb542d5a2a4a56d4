// SPDX-License-Identifier: GPL-2.0-or-later

// Package rtnl is the plain exchange with rtnetlink: requests and their
// acknowledgements, dumps, the kernel's refusals, and attributes. What is asked
// for, and what an answer means, is the business of the packages above.
//
// It speaks to the socket itself, because the netlink library cost the router's
// binary a quarter of a megabyte.
//
// Sources: netlink(7), rtnetlink(7), linux/netlink.h, net/netlink/af_netlink.c.
package rtnl

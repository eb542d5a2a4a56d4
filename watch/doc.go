// SPDX-License-Identifier: GPL-2.0-or-later

// Package watch tells what the kernel says about links, addresses and traffic
// control, as events.
//
// It is made for a consumer that compares the kernel with what it wants whenever
// it is told that something may have changed: an event is a hint, and the last
// event about a link carries its true state. What can not happen is that a change
// goes by untold. When the kernel drops notifications (ENOBUFS) or the socket
// dies, all links are read anew, the differences are told as if they had been
// seen, and [Resynced] says that anything else may have changed too.
//
// Nothing here polls: without notifications the process sleeps.
//
// Sources: rtnetlink(7), linux/if_link.h, linux/rtnetlink.h, net/netlink/af_netlink.c
// for what follows an ENOBUFS, RFC 2863 for the operational state.
package watch

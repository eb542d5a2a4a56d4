// SPDX-License-Identifier: GPL-2.0-or-later

// Package link reads network devices, and makes, marks and removes IFBs.
//
// Sources: rtnetlink(7), linux/if_link.h, net/core/rtnetlink.c, RFC 2863 for the
// operational state.
package link

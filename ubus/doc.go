// SPDX-License-Identifier: GPL-2.0-or-later

// Package ubus is a small client of ubusd, OpenWrt's message bus: it calls
// methods of other objects, offers an object of its own, and sends and hears
// events. The protocol is that of ubus and libubox as they ship since OpenWrt
// 19.07; it is big-endian on every machine, so nothing here depends on the
// byte order of the CPU.
//
// A [Client] belongs to a context and outlives ubusd: when the connection
// breaks it connects again with a growing delay, registers its objects and
// listeners again, and tells the listeners that they may have missed events.
package ubus

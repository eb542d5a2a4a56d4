// SPDX-License-Identifier: GPL-2.0-or-later

// Package ubusd is a bus for tests on machines without OpenWrt's ubusd: a real server on a unix socket, which other
// processes may use too, and on which a test puts objects of its own, above all those of netifd. It misbehaves when told.
//
// It reads and writes the wire format with code of its own and shares none with package ubus, so that each checks the
// other. What it answers is what ubusd answers (ubusd_proto.c, ubusd_event.c of https://git.openwrt.org/project/ubus.git);
// it has no access lists, no subscriptions and no monitor.
package ubusd

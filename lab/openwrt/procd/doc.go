// SPDX-License-Identifier: GPL-2.0-or-later

// Package procd is a stand-in of OpenWrt's procd as far as the init script of a service sees it: the object "service" on
// the bus, instances that are started, restarted only if something about them changed, respawned and stopped, and
// triggers that run scripts on events.
//
// It behaves as service/*.c of https://git.openwrt.org/project/procd.git does, above all where that surprises: deleting
// a service returns before its processes have ended, its triggers go with it, and an instance with a reload_signal is
// only signalled when its command changes. Jails, accounts, limits and capabilities are not carried out, but differences
// in them restart an instance. What it is asked it writes to a log of requests, which tests read.
package procd

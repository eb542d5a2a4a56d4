// SPDX-License-Identifier: GPL-2.0-or-later

// Package router is what a web server finds behind it on a router, for a guest of package lab: sqmd, installed on a root
// of lab/openwrt and supervised there by procd, on a bus of lab/ubusd; rpcd's objects uci and rc, as stand-ins; and an
// object lab, with which tests make the states that they need.
package router

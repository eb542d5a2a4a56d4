// SPDX-License-Identifier: GPL-2.0-or-later

// Package daemon keeps the shaping true: one loop takes in what happens to links,
// traffic control and configuration, and reconciles. It answers on ubus and on a
// unix socket what it knows.
package daemon

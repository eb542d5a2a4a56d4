// SPDX-License-Identifier: GPL-2.0-or-later

// Package wire carries calls of ubus methods between the web server on the host and the router in the guest, over
// whatever passes bytes: a JSON object a line, answers in any order.
package wire

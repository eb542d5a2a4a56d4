// SPDX-License-Identifier: GPL-2.0-or-later

// Package demo shows what sqmd does for a cable line: how long pings take and how much data gets through while the line
// is full, without sqmd and with it. [Measure] runs in a lab guest; what it finds becomes a table, a chart and a verdict.
package demo

// SPDX-License-Identifier: GPL-2.0-or-later

// Package tcsuite runs the traffic control tests of the Linux kernel (tools/testing/selftests/tc-testing) against
// package tc: lines that change something are read and sent by the front in lab/tcsuite/front, then the real tc(8)
// shows what the kernel has and the test case's own pattern judges it.
//
// The cases are not part of this repository. scripts/lab-kernel keeps those of the guest's own kernel.
package tcsuite

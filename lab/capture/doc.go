// SPDX-License-Identifier: GPL-2.0-or-later

// Package capture records the packets that arrive at a device, in files that tcpdump(8) and Wireshark read, and tells how
// fast they came.
package capture

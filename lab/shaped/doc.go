// SPDX-License-Identifier: GPL-2.0-or-later

// Package shaped holds tests of what packets meet on their way through a shaped router: at which rate they leave, which
// tin of cake they are put in, and what the kernel's counters say about it afterwards. They need nothing but a lab guest
// with ip(8) and tc(8), of any processor and byte order.
package shaped

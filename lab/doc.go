// SPDX-License-Identifier: GPL-2.0-or-later

// Package lab boots throw-away virtual machines in which sqmd can be tried on a whole network: hosts, router, modem,
// path delay and servers, with nothing of it reaching the machine it runs on.
//
// On the host, [Run] starts a user-mode Linux guest (https://docs.kernel.org/virt/uml/user_mode_linux_howto_v2.html)
// and runs one command in it. The guest's root file system is the host's, under an overlay kept in the guest's memory:
// the guest reads every file of the host and changes none, except below [Guest.OutDir]. The guest's init is the program
// that calls [Init], by default the same executable.
package lab

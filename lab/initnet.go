// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"os/exec"

	"golang.org/x/sys/unix"
)

// prepareNetwork brings up what a booted machine has before anybody configures its network: IPv6 and loopback.
func prepareNetwork() error {
	// Asking for the first IPv6 socket makes the kernel load the protocol.
	socket, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM, 0)
	if err != nil {
		return fmt.Errorf("load IPv6: %w", err)
	}
	unix.Close(socket)
	if output, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("bring loopback up: %w: %s", err, output)
	}
	return nil
}

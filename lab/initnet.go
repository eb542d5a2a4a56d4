// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"os/exec"
)

// prepareNetwork brings up what a booted machine has before anybody configures its network: loopback.
func prepareNetwork() error {
	if output, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("bring loopback up: %w: %s", err, output)
	}
	return nil
}

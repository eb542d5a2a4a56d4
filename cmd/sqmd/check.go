// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"

	"sqmd/daemon"
)

var checkCommand = command{
	name: "check", arguments: "",
	summary: "validate the configuration, without root and without touching anything",
	details: `Prints every finding with file and line, section, option, what is wrong and what
would be right. Exit code 0 when there is no error, 3 when there is one. Warnings
alone do not fail. -v also prints notes.`,
	run: runCheck,
}

func runCheck(in *invocation) int {
	if len(in.args) > 0 {
		return in.usage(fmt.Errorf("check takes no argument"))
	}
	findings, err := daemon.Check(in.sqm, in.sqmd)
	if err != nil {
		return in.fail(err)
	}
	if in.tell(findings) {
		return exitConfig
	}
	return exitOK
}

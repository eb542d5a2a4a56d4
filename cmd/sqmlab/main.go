// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmlab runs commands, tests and a demonstration in virtual machines that hold a whole network. It is a tool
// for developers and is not part of what is installed on a router.
package main

import (
	"context"

	"sqmd/lab"
	"sqmd/lab/command"
)

const usage = `usage:
  sqmlab run [--mem M] [--timeout D] [--out DIR] -- COMMAND...   run a command as root in a guest
  sqmlab shell [--mem M] [--out DIR]                             a root shell in a guest
  sqmlab go-test [flags] PACKAGE...                              run packages' tests, tag lab included, in a guest
  sqmlab demo --sqmd FILE --config FILE --svg FILE               show what sqmd does for a cable line
COMMAND --help lists the flags of a command.
`

func main() {
	if lab.IsInit() {
		lab.Init()
	}
	command.Main(name, runVerb)
}

const name = "sqmlab"

func runVerb(ctx context.Context, args []string) error {
	return command.Dispatch(ctx, name, usage, map[string]command.Verb{
		"run":       runCommand,
		"shell":     shellCommand,
		"go-test":   goTestCommand,
		testsInside: testsCommand,
		"demo":      demoCommand,
		demoInside:  demoInsideCommand,
	}, args)
}

// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmluci serves the pages of luci-app with a router behind them that runs in a virtual machine. It is a tool
// for developers and is not part of what is installed on a router.
package main

import (
	"context"

	"sqmd/lab"
	"sqmd/lab/command"
)

const usage = `usage:
  sqmluci serve --sqmd FILE --box FILE [flags]   serve the pages until interrupted
sqmluci serve --help lists the flags.
`

const name = "sqmluci"

func main() {
	if lab.IsInit() {
		lab.Init()
	}
	command.Main(name, func(ctx context.Context, args []string) error {
		return command.Dispatch(ctx, name, usage, map[string]command.Verb{
			"serve":      serveCommand,
			insideGuest:  guestCommand,
			insideRouter: routerCommand,
		}, args)
	})
}

// SPDX-License-Identifier: GPL-2.0-or-later

package main

import "fmt"

func helpCommand() command {
	return command{
		name: "help", arguments: "[COMMAND]",
		summary: "print this, or more about one command",
		details: "Works without root.",
		run:     help,
	}
}

const helpFlags = `
Flags, before or after the command:
  -c FILE     queues from FILE instead of /etc/config/sqm
  --dry-run   with apply and stop: print the commands, change nothing
  --json      with plan, status and doctor: for programs
  --openmetrics  with status: for collectors of metrics
  -v          also print notes, and what was done
  --version   print the version
  -h          print help

Exit codes: 0 as asked, 1 not as asked, 2 wrong usage, 3 errors in the configuration.
`

func help(in *invocation) int {
	topic := ""
	if in.verb != "" && in.verb != "help" {
		topic = in.verb
	} else if len(in.args) > 0 {
		topic = in.args[0]
	}
	if topic == "" {
		fmt.Fprint(in.stdout, "sqmd shapes traffic so that a full line stays quick, as /etc/config/sqm says.\n\nUsage: sqmd [flags] COMMAND [arguments]\n\n")
		for _, c := range commands() {
			fmt.Fprintf(in.stdout, "  %-24s %s\n", c.name+" "+c.arguments, c.summary)
		}
		fmt.Fprint(in.stdout, helpFlags)
		return exitOK
	}
	for _, c := range commands() {
		if c.name == topic {
			fmt.Fprintf(in.stdout, "Usage: sqmd [flags] %s %s\n\n%s.\n\n%s\n", c.name, c.arguments, c.summary, c.details)
			return exitOK
		}
	}
	fmt.Fprintf(in.stderr, "sqmd: unknown command %q; see sqmd help\n", topic)
	return exitUsage
}

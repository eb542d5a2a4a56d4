// SPDX-License-Identifier: GPL-2.0-or-later

package front

import (
	"fmt"
	"io"
	"net"
	"slices"

	"sqmd/tc"
)

// Run carries out one line, args being the words behind "tc", in the network namespace of the calling thread. Errors go
// to stderr. The result is the exit code that tc(8) would have, or [ExitNotSpoken].
func Run(args []string, stderr io.Writer) int {
	err := run(args)
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	return exitCode(err)
}

func run(args []string) error {
	c, err := read(args, deviceNames{})
	if err != nil {
		return err
	}
	conn, err := tc.Dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	results, err := conn.Do(c.request)
	if err != nil {
		return err
	}
	return withExit(c.refused, results[0])
}

// Shows reports whether a line shows what the kernel has and changes nothing; such lines are the real tc's business.
func Shows(args []string) bool {
	return len(args) > 1 && slices.Contains([]string{"show", "list", "ls", "get"}, args[1])
}

// command is a line that was read.
type command struct {
	request tc.Request
	refused int // exit code when the kernel refuses it
}

// read reads one line, args being the words behind "tc".
func read(args []string, names tc.Names) (command, error) {
	if len(args) < 2 {
		return command{}, notSpoken(args)
	}
	verb, r, w := args[1], reader{names}, &words{list: args[2:]}
	if verb == "del" {
		verb = "delete"
	}
	ofActions := args[0] == "action" || args[0] == "actions"
	if _, creates := modes[verb]; !creates && verb != "delete" && !(ofActions && verb == "flush") {
		return command{}, notSpoken(args)
	}
	c := command{refused: exitKernel}
	var err error
	switch args[0] {
	case "qdisc":
		c.request, err = r.qdisc(verb, w)
	case "class":
		c.request, err = r.class(verb, w)
	case "filter":
		c.request, err = r.filter(verb, w)
	case "action", "actions":
		c, err = r.actions(verb, w)
	default:
		err = notSpoken(args)
	}
	return c, err
}

func notSpoken(args []string) error {
	return withExit(ExitNotSpoken, fmt.Errorf("%q is nothing that package tc does", args))
}

// deviceNames are the devices of the current network namespace.
type deviceNames struct{}

// Name is the device with that index.
func (deviceNames) Name(index int) string {
	if device, err := net.InterfaceByIndex(index); err == nil {
		return device.Name
	}
	return ""
}

// Index is the index of the device with that name.
func (deviceNames) Index(name string) int {
	if device, err := net.InterfaceByName(name); err == nil {
		return device.Index
	}
	return 0
}

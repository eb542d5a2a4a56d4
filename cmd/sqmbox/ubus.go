// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"sqmd/ubus"
)

// ubusProgram is ubus(1): call, list, send and wait_for.
func ubusProgram(b box, args []string) error {
	flags := flag.NewFlagSet("ubus", flag.ContinueOnError)
	flags.SetOutput(b.err)
	socket := flags.String("s", "", "")
	simple, verbose := flags.Bool("S", false, ""), flags.Bool("v", false, "")
	seconds := flags.Int("t", 30, "")
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return errUsage
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(*seconds)*time.Second)
	defer cancel()
	u := ubusCommand{box: b, socket: *socket, simple: *simple, verbose: *verbose}
	err := u.do(ctx, flags.Arg(0), flags.Args()[1:])
	return ubusError(b, err)
}

// ubusError says what ubus says, and ends with ubus's code.
func ubusError(b box, err error) error {
	var status ubus.Status
	switch {
	case err == nil || errors.Is(err, errUsage):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		status = ubus.StatusTimeout
	case !errors.As(err, &status):
		fmt.Fprintf(b.err, "Failed to connect to ubus: %v\n", err)
		return exitCode(255)
	}
	fmt.Fprintf(b.err, "Command failed: %v\n", status)
	return exitCode(status)
}

type ubusCommand struct {
	box
	socket          string
	simple, verbose bool
}

func (u ubusCommand) do(ctx context.Context, verb string, args []string) error {
	if verb == "wait_for" {
		return u.waitFor(ctx, args)
	}
	c, err := ubus.Dial(ctx, u.socket)
	if err != nil {
		return err
	}
	defer c.Close()
	switch {
	case verb == "call" && (len(args) == 2 || len(args) == 3):
		return u.call(ctx, c, args)
	case verb == "list" && len(args) < 2:
		return u.list(ctx, c, strings.Join(args, ""))
	case verb == "send" && (len(args) == 1 || len(args) == 2):
		data, err := tableOf(args[1:])
		if err != nil {
			return err
		}
		return c.Send(ctx, args[0], data)
	}
	return fmt.Errorf("%s: %w", verb, errUsage)
}

func tableOf(text []string) (ubus.Table, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var table ubus.Table
	decoder := json.NewDecoder(strings.NewReader(text[0]))
	decoder.UseNumber() // which keeps integers apart from others
	if err := decoder.Decode(&table); err != nil {
		return nil, ubus.StatusInvalidArgument
	}
	return ubus.TableOf(table)
}

func (u ubusCommand) call(ctx context.Context, c *ubus.Client, args []string) error {
	table, err := tableOf(args[2:])
	if err != nil {
		return err
	}
	reply, err := c.Call(ctx, args[0], args[1], table)
	if reply != nil {
		u.print(reply)
	}
	return err
}

func (u ubusCommand) print(reply ubus.Table) {
	encoder := json.NewEncoder(u.out)
	encoder.SetEscapeHTML(false)
	if !u.simple {
		encoder.SetIndent("", "\t")
	}
	_ = encoder.Encode(reply) // what came from the bus can be encoded
}

func (u ubusCommand) list(ctx context.Context, c *ubus.Client, pattern string) error {
	objects, err := c.Lookup(ctx, pattern)
	for _, o := range objects {
		fmt.Fprintln(u.out, o.Path)
		for _, m := range o.Methods {
			if u.verbose {
				fmt.Fprintf(u.out, "\t%q\n", m.Name)
			}
		}
	}
	return err
}

// waitFor returns when all the objects are there.
func (u ubusCommand) waitFor(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return errUsage
	}
	for {
		missing := slices.Clone(names)
		if c, err := ubus.Dial(ctx, u.socket); err == nil {
			missing = slices.DeleteFunc(missing, func(name string) bool {
				_, err := c.Lookup(ctx, name)
				return err == nil
			})
			c.Close()
		}
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

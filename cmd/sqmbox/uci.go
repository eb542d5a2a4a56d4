// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"strings"

	"sqmd/lab/openwrt/settings"
)

// uciProgram is uci(1): get, set, add, add_list, del_list, delete, rename, show, changes, commit, revert and batch.
func uciProgram(b box, args []string) error {
	flags := flag.NewFlagSet("uci", flag.ContinueOnError)
	flags.SetOutput(b.err)
	store := settings.System
	quiet, names := flags.Bool("q", false, ""), flags.Bool("X", false, "")
	flags.StringVar(&store.Dir, "c", store.Dir, "")
	flags.StringVar(&store.Changes, "t", store.Changes, "")
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return errUsage
	}
	u := uciCommand{b, store, *names}
	err := u.do(flags.Arg(0), flags.Args()[1:])
	if err != nil && *quiet {
		return exitCode(1)
	}
	return uciError(err)
}

// uciError words errors as uci does.
func uciError(err error) error {
	for known, text := range map[error]string{settings.ErrNotFound: "Entry not found", settings.ErrInvalid: "Invalid argument"} {
		if errors.Is(err, known) {
			return errors.New(text)
		}
	}
	return err
}

type uciCommand struct {
	box
	settings.Store
	names bool
}

func (u uciCommand) do(verb string, args []string) error {
	if verb == "batch" {
		return u.batch()
	}
	if len(args) == 0 {
		return u.all(verb)
	}
	target, value, given := strings.Cut(args[0], "=")
	if verb == "add" {
		if len(args) != 2 {
			return errUsage
		}
		name, err := u.Add(args[0], args[1])
		if err == nil {
			fmt.Fprintln(u.out, name)
		}
		return err
	}
	p, err := settings.ParsePath(target)
	if err != nil {
		return err
	}
	switch verb {
	case "get":
		text, err := u.Get(p)
		if err == nil {
			fmt.Fprintln(u.out, text)
		}
		return err
	case "show":
		return u.print(u.Show(p, u.names))
	case "set", "add_list", "del_list", "rename":
		if !given {
			return errUsage
		}
		return u.Change(verb, p, value)
	case "delete", "del":
		return u.Change("delete", p, "")
	case "commit":
		return u.Commit(p.Config)
	case "revert":
		return u.Revert(p.Config)
	case "changes":
		return u.print(u.Pending(p.Config))
	}
	return fmt.Errorf("%s: %w", verb, errUsage)
}

// all is a command for all configurations.
func (u uciCommand) all(verb string) error {
	if verb == "commit" {
		return u.Commit("")
	}
	configs, err := u.Configs()
	for _, config := range configs {
		switch verb {
		case "show":
			err = errors.Join(err, u.print(u.Show(settings.Path{Config: config}, u.names)))
		case "changes":
			err = errors.Join(err, u.print(u.Pending(config)))
		default:
			return fmt.Errorf("%s: %w", verb, errUsage)
		}
	}
	return err
}

func (u uciCommand) print(text string, err error) error {
	fmt.Fprint(u.out, text)
	return err
}

// batch reads commands, one a line, values in single quotes or bare.
func (u uciCommand) batch() error {
	var err error
	lines := bufio.NewScanner(u.in)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		rest = strings.ReplaceAll(strings.TrimSpace(rest), "'", "")
		args := []string{rest}
		if verb == "add" {
			args = strings.Fields(rest)
		} else if rest == "" {
			args = nil
		}
		err = errors.Join(err, u.do(verb, args))
	}
	return errors.Join(err, lines.Err())
}

// configVars prints a configuration as the variables that functions.sh keeps it in.
func configVars(b box, args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	text, err := settings.System.Variables(args[0])
	if err != nil {
		return exitCode(1)
	}
	fmt.Fprint(b.out, text)
	return nil
}

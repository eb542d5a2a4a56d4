// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"flag"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// flockProgram locks an open descriptor, which the shell that called it has too: flock [-n] [-u] NUMBER.
func flockProgram(b box, args []string) error {
	flags := flag.NewFlagSet("flock", flag.ContinueOnError)
	flags.SetOutput(b.err)
	now, unlock := flags.Bool("n", false, ""), flags.Bool("u", false, "")
	if flags.Parse(args) != nil || flags.NArg() != 1 {
		return errUsage
	}
	fd, err := strconv.Atoi(flags.Arg(0))
	if err != nil {
		return errUsage
	}
	how := unix.LOCK_EX
	if *unlock {
		how = unix.LOCK_UN
	}
	if *now {
		how |= unix.LOCK_NB
	}
	if err := unix.Flock(fd, how); err != nil {
		if *now {
			return exitCode(1)
		}
		return err
	}
	return nil
}

// lockProgram is a lock that outlives its process: lock FILE waits and takes it, lock -u FILE frees it, lock -n FILE
// fails where it is taken.
func lockProgram(b box, args []string) error {
	flags := flag.NewFlagSet("lock", flag.ContinueOnError)
	flags.SetOutput(b.err)
	now, unlock := flags.Bool("n", false, ""), flags.Bool("u", false, "")
	if flags.Parse(args) != nil || flags.NArg() != 1 {
		return errUsage
	}
	path := flags.Arg(0) + ".taken"
	if *unlock {
		return os.Remove(path)
	}
	for {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case err == nil:
			return file.Close()
		case !os.IsExist(err):
			return err
		case *now:
			return exitCode(1)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

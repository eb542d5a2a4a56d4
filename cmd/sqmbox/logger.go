// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// logFile is where the lines of the log are kept, as a test reads it.
const logFile = "/var/log/messages"

// logger appends a line to the log, or those of its input.
func logger(b box, args []string) error {
	flags := flag.NewFlagSet("logger", flag.ContinueOnError)
	flags.SetOutput(b.err)
	priority, tag := flags.String("p", "user.notice", ""), flags.String("t", "root", "")
	loud := flags.Bool("s", false, "")
	if flags.Parse(args) != nil {
		return errUsage
	}
	text := strings.Join(flags.Args(), " ")
	if flags.NArg() == 0 {
		read, err := io.ReadAll(b.in)
		if err != nil {
			return err
		}
		text = strings.TrimSuffix(string(read), "\n")
	}
	for _, line := range strings.Split(text, "\n") {
		if *loud {
			fmt.Fprintf(b.err, "%s: %s\n", *tag, line)
		}
		if err := log(*priority, *tag, line); err != nil {
			return err
		}
	}
	return nil
}

// log appends a line to the log. Lines of several processes do not mix.
func log(priority, ident, line string) error {
	file, err := os.OpenFile(logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "%s %s %s: %s\n", time.Now().Format(time.StampMilli), priority, ident, line)
	return err
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"sqmd/lab/tcsuite/front"
)

// lineTimeout is how long a process may take, as in the kernel's own runner.
const lineTimeout = 24 * time.Second

// timedOut is the exit code of a process that took longer.
const timedOut = 255

// The real programs.
const (
	tcProgram = "/sbin/tc"
	ipProgram = "/sbin/ip"
)

// Runner runs cases on the machine that it is on, which should be a guest: a case may leave devices and modules behind.
type Runner struct {
	// Front is the command that carries out a line in place of tc(8); it is used where a shell needs a program.
	Front []string
}

// variables gives the names in lines; tc is what stands for $TC.
func variables(tc string, c Case) Variables {
	return Variables{
		"TC": tc, "IP": ipProgram, "DEV0": vethName, "DEV1": vethPeerName, "DEV2": physicalName,
		"DUMMY": dummyName, "ETH": simulatedName, "TESTID": c.ID,
	}
}

// Run runs one case in a network namespace of its own. The error says in which step the case failed.
func (r Runner) Run(c Case) error {
	result := make(chan error)
	go func() {
		// The thread is not unlocked: it ends with this function, and the network namespace with it.
		runtime.LockOSThread()
		result <- r.run(c)
	}()
	return <-result
}

func (r Runner) run(c Case) error {
	if err := enterWorld(c); err != nil {
		return err
	}
	if err := r.all(c, c.Setup); err != nil {
		return fmt.Errorf("set-up: %w", err)
	}
	if exit, output := r.change(c, c.UnderTest, false); exit != c.ExitCode {
		return fmt.Errorf("exit code %d, not %d: %s", exit, c.ExitCode, output)
	}
	_, output := process(variables(tcProgram, c).Expand(c.Verify))
	output = withoutStars(output)
	if found := len(c.Pattern.FindAllStringIndex(output, -1)); found != c.Matches {
		return fmt.Errorf("pattern found %d times, not %d:\n%s", found, c.Matches, output)
	}
	if err := r.all(c, c.Teardown); err != nil {
		return fmt.Errorf("teardown: %w", err)
	}
	return nil
}

// withoutStars undoes what iproute2 6.1 alone does: it prints "*flowid" for every u32 rule, also for those that it made
// itself, where the cases expect "flowid".
func withoutStars(output string) string { return strings.ReplaceAll(output, " *flowid ", " flowid ") }

// all carries out lines of set-up or teardown. Kinds that package tc does not have may be set up by the real tc.
func (r Runner) all(c Case, lines []Line) error {
	for _, line := range lines {
		if exit, output := r.change(c, line.Text, true); !slices.Contains(line.Exits, exit) {
			return fmt.Errorf("%s: exit code %d: %s", line.Text, exit, output)
		}
	}
	return nil
}

// change carries out a line in which the front stands for tc(8).
func (r Runner) change(c Case, line string, orRealTC bool) (exit int, output string) {
	if done, err := doWellKnown(line); done {
		if err != nil {
			return 1, err.Error()
		}
		return 0, ""
	}
	inFront := variables(strings.Join(r.Front, " "), c).Expand(line)
	words, ignoreExit, ok := plain(inFront)
	if !ok || !slices.Equal(words[:min(len(words), len(r.Front))], r.Front) {
		return process(inFront)
	}
	words = words[len(r.Front):]
	var message bytes.Buffer
	if !front.Shows(words) {
		exit = front.Run(words, &message)
	}
	switch {
	case front.Shows(words), exit == front.ExitNotSpoken && orRealTC:
		return process(variables(tcProgram, c).Expand(line))
	case ignoreExit:
		exit = 0
	}
	return exit, message.String()
}

// process runs a line in a shell, or without one if it needs none. The output is that of standard output, or of
// standard error if the exit code is not 0 and something stands there, as in the kernel's own runner.
func process(line string) (exit int, output string) {
	words, ignoreExit, ok := plain(line)
	if !ok {
		words = []string{"/bin/sh", "-c", line}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lineTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exited *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return timedOut, fmt.Sprintf("%s: took longer than %v", line, lineTimeout)
	case errors.As(err, &exited):
		exit = exited.ExitCode()
	case err != nil:
		return 127, err.Error()
	}
	output = stdout.String()
	if exit != 0 && stderr.Len() > 0 {
		output = stderr.String()
	}
	if ignoreExit {
		exit = 0
	}
	return exit, output
}

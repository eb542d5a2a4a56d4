// SPDX-License-Identifier: GPL-2.0-or-later

package front

import (
	"errors"

	"sqmd/tc"
)

// Exit codes of tc(8), which test cases expect. A wrong word ends it with 255 when it stands before the kind or belongs
// to an action, and with 1 when the kind's own parser refuses it.
const (
	exitKindWords  = 1
	exitKernel     = 2
	exitCommonWord = 255
	// ExitNotSpoken is not tc's: the line asks for an object, verb or kind that package tc does not have.
	ExitNotSpoken = 3
)

// exitError is an error that settles the exit code.
type exitError struct {
	code int
	error
}

func (e exitError) Unwrap() error { return e.error }

// withExit gives err that exit code, unless it has one already.
func withExit(code int, err error) error {
	var settled exitError
	if err == nil || errors.As(err, &settled) {
		return err
	}
	return exitError{code, err}
}

// exitCode is the exit code for what carrying out a line ended in.
func exitCode(err error) int {
	var settled exitError
	var unknownKind *tc.UnknownKindError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &unknownKind):
		return ExitNotSpoken
	case errors.As(err, &settled):
		return settled.code
	}
	return exitCommonWord
}

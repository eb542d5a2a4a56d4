// SPDX-License-Identifier: GPL-2.0-or-later

package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// Call names a method of an object on the bus and its arguments, a JSON object or nothing.
type Call struct {
	// Session is the caller's, where that matters: pending changes of the configuration are each session's own.
	Session string          `json:"session,omitempty"`
	Object  string          `json:"object"`
	Method  string          `json:"method"`
	Args    json.RawMessage `json:"args,omitempty"`
}

// Answer is how a call ended.
type Answer struct {
	// Code is a status of ubus (ubusmsg.h, enum ubus_msg_status), 0 where the call succeeded.
	Code int `json:"code"`
	// Reply is a JSON object, nil where there is none.
	Reply json.RawMessage `json:"reply,omitempty"`
}

// request and response are the lines.
type request struct {
	ID uint64 `json:"id"`
	Call
}

type response struct {
	ID uint64 `json:"id"`
	Answer
}

// maxLine bounds a line, in bytes; a message of ubus has at most a MiB, and JSON may need more for the same.
const maxLine = 8 << 20

// readLines calls each with every line until the reader ends, which is no error.
func readLines(r io.Reader, each func(line []byte)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		each(lines.Bytes())
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil
}

// writeLine writes v as a line, in one call.
func writeLine(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

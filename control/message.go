// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// request is one question. Args is an object.
type request struct {
	Method string          `json:"method"`
	Args   json.RawMessage `json:"args"`
}

// answer is what comes back: Error, or Reply if that is nil.
type answer struct {
	Reply json.RawMessage `json:"reply"`
	Error *string         `json:"error"`
}

// errTooLong says that a line is longer than its limit; where the next one starts
// is not known then.
var errTooLong = errors.New("line is too long")

// readLine returns the next line without its newline. The buffer grows with what
// arrives, not with what is allowed.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(bytes.TrimSuffix(line, []byte("\n"))) > limit {
			return nil, errTooLong
		}
		if err == nil {
			return line[:len(line)-1], nil
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// parseRequest reads a request. Absent args are an empty object.
func parseRequest(line []byte) (request, error) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return request{}, fmt.Errorf("request is not understood: %w", err)
	}
	if r.Method == "" {
		return request{}, errors.New("request names no method")
	}
	switch {
	case len(r.Args) == 0 || string(r.Args) == "null":
		r.Args = json.RawMessage("{}")
	case r.Args[0] != '{':
		return request{}, errors.New("args is not an object")
	}
	return r, nil
}

// formatRequest writes a request with its newline. Nil args are an empty object.
func formatRequest(method string, args any) ([]byte, error) {
	if args == nil {
		args = struct{}{}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(request{method, raw})
	if err != nil {
		return nil, err
	}
	if len(line) > maxRequest {
		return nil, fmt.Errorf("request of %d bytes is longer than %d", len(line), maxRequest)
	}
	return append(line, '\n'), nil
}

// formatReply writes an answer with its newline: failure if there is one, else
// the reply, else that the reply cannot be sent.
func formatReply(reply any, failure error) []byte {
	if failure != nil {
		return formatError(failure)
	}
	raw, err := json.Marshal(reply)
	if err != nil {
		return formatError(fmt.Errorf("encode the reply: %w", err))
	}
	line := append(append([]byte(`{"reply":`), raw...), '}')
	if len(line) > maxReply {
		return formatError(fmt.Errorf("reply of %d bytes is longer than %d", len(line), maxReply))
	}
	return append(line, '\n')
}

// formatError writes a refusal. A text that is itself too long is cut.
func formatError(failure error) []byte {
	text := failure.Error()
	text = text[:min(len(text), maxRequest)]
	line, err := json.Marshal(struct {
		Error string `json:"error"`
	}{text})
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return append(line, '\n')
}

// parseAnswer decodes the reply into a pointer, or into nothing if that is nil.
// The error that the other side sent is returned as it is.
func parseAnswer(line []byte, reply any) error {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("answer is not understood: %w", err)
	}
	switch {
	case a.Error != nil:
		return errors.New(*a.Error)
	case a.Reply == nil:
		return errors.New("answer has neither reply nor error")
	case reply == nil:
		return nil
	}
	if err := json.Unmarshal(a.Reply, reply); err != nil {
		return fmt.Errorf("reply is not what was expected: %w", err)
	}
	return nil
}

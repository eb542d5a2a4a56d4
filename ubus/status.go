// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"errors"
	"fmt"
)

// Status is a result code of ubus other than 0 (ubusmsg.h, enum ubus_msg_status).
// It is the error, or is wrapped by it, when ubusd or another process refuses a
// request, and a [Handler] returns one to choose the code of its answer.
type Status uint32

// The codes of ubus.
const (
	StatusInvalidCommand   Status = 1
	StatusInvalidArgument  Status = 2
	StatusMethodNotFound   Status = 3
	StatusNotFound         Status = 4
	StatusNoData           Status = 5
	StatusPermissionDenied Status = 6
	StatusTimeout          Status = 7
	StatusNotSupported     Status = 8
	StatusUnknown          Status = 9
	StatusConnectionFailed Status = 10
	StatusNoMemory         Status = 11
	StatusParseError       Status = 12
	StatusSystemError      Status = 13
)

var statusText = [...]string{
	StatusInvalidCommand:   "invalid command",
	StatusInvalidArgument:  "invalid argument",
	StatusMethodNotFound:   "method not found",
	StatusNotFound:         "not found",
	StatusNoData:           "no data",
	StatusPermissionDenied: "permission denied",
	StatusTimeout:          "timed out",
	StatusNotSupported:     "not supported",
	StatusUnknown:          "unknown error",
	StatusConnectionFailed: "connection failed",
	StatusNoMemory:         "out of memory",
	StatusParseError:       "parse error",
	StatusSystemError:      "system error",
}

// Error says what the code means, in the lower case of other errors.
func (s Status) Error() string {
	if s > 0 && int(s) < len(statusText) {
		return statusText[s]
	}
	return fmt.Sprintf("ubus status %d", uint32(s))
}

// statusError turns a code from the wire into an error, nil for success.
func statusError(code uint32) error {
	if code == 0 {
		return nil
	}
	return Status(code)
}

// codeOf is the code that tells another process of err, 0 for nil.
func codeOf(err error) uint32 {
	var status Status
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return uint32(status)
	case errors.Is(err, context.DeadlineExceeded):
		return uint32(StatusTimeout)
	}
	return uint32(StatusUnknown)
}

// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

// Status is how a request ends (ubusmsg.h, enum ubus_msg_status).
type Status uint32

// The codes that the server uses itself; its objects may answer with others.
const (
	OK               Status = 0
	InvalidCommand   Status = 1
	InvalidArgument  Status = 2
	MethodNotFound   Status = 3
	NotFound         Status = 4
	PermissionDenied Status = 6
	NoMemory         Status = 11
	SystemError      Status = 13
)

// answered is for a request that somebody else answers, or nobody.
const answered Status = 1 << 31

// SPDX-License-Identifier: GPL-2.0-or-later

// Package control asks the running daemon over a unix socket, which works where
// there is no ubus, and answers there.
//
// A request is one line of JSON, {"method":"status","args":{...}}, and so is its
// answer, {"reply":...} or {"error":"text"}. A connection carries one request
// after the other. What a peer can cost is bounded: in bytes, connections and
// time.
package control

import "time"

const (
	// maxRequest and maxReply are the longest lines in bytes, without the newline.
	maxRequest = 64 << 10
	maxReply   = 4 << 20
	// maxConnections are served at once; the next one is told so and closed.
	maxConnections = 8
	// idleTime is how long a connection may take for its next request to be there.
	idleTime = 30 * time.Second
	// writeTime is how long a peer may take to read an answer.
	writeTime = 10 * time.Second
)

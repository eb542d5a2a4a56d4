// SPDX-License-Identifier: GPL-2.0-or-later

package luci

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"

	"sqmd/lab/luci/wire"
)

// Codes of errors of JSON-RPC, those of uhttpd's module for ubus among them.
const (
	errorParse   = -32700
	errorRequest = -32600
	errorMethod  = -32601
	errorObject  = -32000
	errorAccess  = -32002
	errorTimeout = -32003
)

var errorTexts = map[int]string{
	errorParse: "Parse error", errorRequest: "Invalid request", errorMethod: "Method not found",
	errorObject: "Object not found", errorAccess: "Access denied", errorTimeout: "ubus request timed out",
}

type rpcRequest struct {
	Version string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id"`
	Method  string            `json:"method"`
	Params  []json.RawMessage `json:"params"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type rpcResponse struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  []any           `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// Statuses of ubus that matter here.
const (
	statusInvalidArgument  = 2
	statusNotFound         = 4
	statusPermissionDenied = 6
)

// maxBody bounds a request, in bytes, as uhttpd does (UH_UBUS_MAX_POST_SIZE).
const maxBody = 64 << 10

// ubusPage answers JSON-RPC as uhttpd does on /ubus, or as LuCI itself does on its own page, where an object that is not
// there is no error of the protocol.
func (s *Server) ubusPage(asLuCI bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		var reply any
		if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
			reply = s.batch(r.Context(), body, asLuCI)
		} else {
			reply = s.single(r.Context(), body, asLuCI)
		}
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(reply) // who does not read it is gone
	}
}

func (s *Server) batch(ctx context.Context, body []byte, asLuCI bool) any {
	var requests []json.RawMessage
	if json.Unmarshal(body, &requests) != nil {
		return failure(nil, errorParse)
	}
	replies := make([]rpcResponse, len(requests))
	var all sync.WaitGroup
	for i, text := range requests {
		all.Add(1)
		go func() {
			defer all.Done()
			replies[i] = s.single(ctx, text, asLuCI)
		}()
	}
	all.Wait()
	return replies
}

func failure(id json.RawMessage, code int) rpcResponse {
	return rpcResponse{Version: "2.0", ID: id, Error: &rpcError{code, errorTexts[code]}}
}

func (s *Server) single(ctx context.Context, text []byte, asLuCI bool) rpcResponse {
	var request rpcRequest
	if json.Unmarshal(text, &request) != nil {
		return failure(nil, errorParse)
	}
	if request.Version != "2.0" || len(request.Params) != 4 {
		return failure(request.ID, errorRequest)
	}
	if request.Method != "call" {
		return failure(request.ID, errorMethod)
	}
	var words [3]string
	for i := range words {
		if json.Unmarshal(request.Params[i], &words[i]) != nil {
			return failure(request.ID, errorRequest)
		}
	}
	call := wire.Call{Session: words[0], Object: words[1], Method: words[2], Args: request.Params[3]}
	answer, code := s.answer(ctx, call)
	if answer.Code == statusNotFound && answer.Reply == nil && call.Object == "sqmd" && !asLuCI {
		code = errorObject // that of a method would be another status
	}
	if code != 0 {
		return failure(request.ID, code)
	}
	response := rpcResponse{Version: "2.0", ID: request.ID, Result: []any{answer.Code}}
	if answer.Reply != nil {
		response.Result = append(response.Result, answer.Reply)
	}
	return response
}

// answer makes a call for a session, as far as that may; code is the error of JSON-RPC if not.
func (s *Server) answer(ctx context.Context, call wire.Call) (answer wire.Answer, code int) {
	session, known := s.session(call.Session)
	if !known || !session.May(call.Object, call.Method) {
		return answer, errorAccess
	}
	if call.Object == "session" {
		return access(session, call.Args), 0
	}
	if call.Object == "uci" && !mayConfig(session, call) {
		return wire.Answer{Code: statusPermissionDenied}, 0
	}
	s.calls.count(call)
	answer, err := s.Router.Call(ctx, call)
	if err != nil {
		return answer, errorTimeout
	}
	return answer, 0
}

// access answers session access.
func access(session Session, args json.RawMessage) wire.Answer {
	var a struct{ Scope, Object, Function string }
	if json.Unmarshal(args, &a) != nil {
		return wire.Answer{Code: statusInvalidArgument}
	}
	may := false
	switch a.Scope {
	case "", "ubus":
		may = session.May(a.Object, a.Function)
	case "uci":
		may = a.Function == "read" && session.MayRead(a.Object) || a.Function == "write" && session.MayWrite(a.Object)
	}
	text, _ := json.Marshal(map[string]bool{"access": may})
	return wire.Answer{Reply: text}
}

// mayConfig tells whether a session may do with a configuration what a method of uci does.
func mayConfig(session Session, call wire.Call) bool {
	var a struct{ Config string }
	if json.Unmarshal(call.Args, &a) != nil || a.Config == "" {
		return true // of no configuration, or of all that the session has changed
	}
	if slices.Contains([]string{"get", "changes"}, call.Method) {
		return session.MayRead(a.Config)
	}
	return session.MayWrite(a.Config)
}

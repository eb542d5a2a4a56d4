// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"fmt"
	"slices"
	"strings"
)

// eventObject is the id of the object through which events go (UBUS_SYSTEM_OBJECT_EVENT).
const eventObject = 1

// maxPatterns bounds the patterns of one object.
const maxPatterns = 64

// Send sends an event to all who listen for its name. It is an error if data cannot be encoded.
func (s *Server) Send(name string, data map[string]any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.publish(nil, name, data)
}

// eventCall is a call of a method of the object for events.
func (s *Server) eventCall(c *client, method string, data []byte) Status {
	arguments, err := tableFrom(data, 1)
	if err != nil {
		return InvalidArgument
	}
	switch method {
	case "register":
		return s.listen(c, arguments)
	case "send":
		return s.pass(c, arguments)
	}
	return InvalidCommand
}

func (s *Server) listen(c *client, arguments map[string]any) Status {
	id, _ := arguments["object"].(int32)
	pattern, given := arguments["pattern"].(string)
	o := s.objects[uint32(id)]
	switch {
	case !given:
		return InvalidArgument
	case o == nil:
		return NotFound
	case o.owner != c:
		return PermissionDenied
	case len(o.patterns) == maxPatterns:
		return NoMemory
	}
	o.patterns = append(o.patterns, pattern)
	return OK
}

// pass sends an event for a client.
func (s *Server) pass(c *client, arguments map[string]any) Status {
	name, named := arguments["id"].(string)
	data, given := arguments["data"].(map[string]any)
	if !named || !given {
		return InvalidArgument
	}
	if strings.HasPrefix(name, "ubus.") {
		return PermissionDenied
	}
	if s.publish(c, name, data) != nil {
		return InvalidArgument
	}
	return OK
}

// publish sends an event to the listeners of all but from. One that does not fit a message is lost.
func (s *Server) publish(from *client, name string, data map[string]any) error {
	encoded, err := fieldsOf(data, 1)
	if err != nil {
		return fmt.Errorf("send event %s: %w", name, err)
	}
	for _, o := range s.sorted() {
		wanted := slices.ContainsFunc(o.patterns, func(p string) bool { return matches(p, name) })
		body := append(blobUint32(attrObject, o.id), blobText(attrMethod, name)...)
		body = append(body, blob(attrData, encoded)...)
		if wanted && o.owner != from && blobHead+len(body) <= maxBody {
			o.owner.send(frame{kind: Invoke, body: body})
		}
	}
	return nil
}

// announce tells of an object that comes or goes, to all but its owner.
func (s *Server) announce(name string, o *object) {
	_ = s.publish(o.owner, name, map[string]any{"id": int32(o.id), "path": o.path}) // which can be encoded
}

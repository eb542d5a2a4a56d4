// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import "strings"

// receive handles one message of c. After an error the client is disconnected.
func (s *Server) receive(c *client, f frame) error {
	a, err := splitAttributes(f.body)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spoil(c, f.kind) {
		return nil
	}
	if status := s.handle(c, f, a); status != answered {
		s.finish(c, f, status)
	}
	return nil
}

func (s *Server) handle(c *client, f frame, a attributes) Status {
	switch f.kind {
	case Ping:
		c.send(frame{kind: Data, seq: f.seq, peer: f.peer, body: f.body})
		return OK
	case Lookup:
		return s.lookup(c, f, a)
	case AddObject:
		return s.addObject(c, f, a)
	case RemoveObject:
		return s.removeObject(c, f, a)
	case Invoke:
		return s.invoke(c, f, a)
	case Data, StatusOf:
		s.forward(c, f, a)
		return answered
	}
	return InvalidCommand
}

// finish ends the answer to f.
func (s *Server) finish(c *client, f frame, status Status) {
	c.send(frame{kind: StatusOf, seq: f.seq, peer: f.peer, body: blobUint32(attrStatus, uint32(status))})
}

func (s *Server) lookup(c *client, f frame, a attributes) Status {
	pattern, given := a.text(attrPath)
	found := !given
	for _, o := range s.sorted() {
		if o.path == "" || given && !matches(pattern, o.path) {
			continue
		}
		found = true
		body := append(blobText(attrPath, o.path), blobUint32(attrObject, o.id)...)
		body = append(body, blobUint32(attrType, o.typeID)...)
		c.send(frame{kind: Data, seq: f.seq, peer: f.peer, body: append(body, blob(attrSignature, o.signature)...)})
	}
	if !found {
		return NotFound
	}
	return OK
}

// matches tells whether a name is pattern or, where that ends with '*', begins with what is before it.
func matches(pattern, name string) bool {
	if prefix, many := strings.CutSuffix(pattern, "*"); many {
		return strings.HasPrefix(name, prefix)
	}
	return name == pattern
}

func (s *Server) addObject(c *client, f frame, a attributes) Status {
	path, _ := a.text(attrPath)
	o := &object{path: path, owner: c, signature: a[attrSignature]}
	if status := s.add(o); status != OK {
		return status
	}
	body := append(blobUint32(attrObject, o.id), blobUint32(attrType, o.typeID)...)
	c.send(frame{kind: Data, seq: f.seq, peer: f.peer, body: body})
	return OK
}

func (s *Server) removeObject(c *client, f frame, a attributes) Status {
	id, _ := a.number(attrObject)
	o := s.objects[id]
	switch {
	case o == nil:
		return NotFound
	case o.owner != c:
		return PermissionDenied
	}
	c.send(frame{kind: Data, seq: f.seq, peer: f.peer, body: blobUint32(attrObject, id)})
	s.remove(o)
	return OK
}

func (s *Server) invoke(c *client, f frame, a attributes) Status {
	id, hasID := a.number(attrObject)
	method, hasMethod := a.text(attrMethod)
	if !hasID || !hasMethod {
		return InvalidArgument
	}
	if id == eventObject {
		return s.eventCall(c, method, a[attrData])
	}
	o := s.objects[id]
	switch {
	case o == nil:
		return NotFound
	case o.owner == nil:
		return s.call(c, f, o, method, a)
	}
	body := append(blobUint32(attrObject, id), blobText(attrMethod, method)...)
	body = append(body, blobText(attrUser, c.user)...)
	body = append(body, blobText(attrGroup, c.group)...)
	for _, attr := range []byte{attrData, attrNoReply} {
		if payload, given := a[attr]; given {
			body = append(body, blob(attr, payload)...)
		}
	}
	if blobHead+len(body) > maxBody { // the names of the account made it too large
		return InvalidArgument
	}
	o.owner.send(frame{kind: Invoke, seq: f.seq, peer: c.id, body: body})
	return answered
}

// forward passes an answer of the owner of an object on to the caller, and drops what is none.
func (s *Server) forward(c *client, f frame, a attributes) {
	id, _ := a.number(attrObject)
	o, caller := s.objects[id], s.clients[f.peer]
	if o == nil || o.owner != c || caller == nil {
		return
	}
	caller.send(frame{kind: f.kind, seq: f.seq, peer: id, body: f.body})
}

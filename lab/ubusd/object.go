// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// object is something that can be called: by a client that owns it, or here.
type object struct {
	id, typeID uint32
	path       string // "" for a listener to events
	signature  []byte
	owner      *client           // nil where functions answer
	functions  map[string]Method // by name
	patterns   []string          // of events that go to it
}

// Type is the type of an argument, with the codes of libubox/blobmsg.h.
type Type int32

// Types of arguments.
const (
	Array   Type = Type(kindArray)
	Table   Type = Type(kindTable)
	Text    Type = Type(kindText)
	Integer Type = Type(kindInt32)
	Boolean Type = Type(kindBool)
)

// Argument is an argument as a lookup shows it; calls are not held against it, as on ubus.
type Argument struct {
	Name string
	Type Type
}

// Method is a method of an object of the server.
type Method struct {
	Name      string
	Arguments []Argument
	// Answer gives the reply, nil for none, and how the call ends. It runs in a goroutine of its own and may take its
	// time; ctx ends with the server. The values are nil, bool, int16, int32, int64, float64, string, []any and
	// map[string]any.
	Answer func(ctx context.Context, arguments map[string]any) (map[string]any, Status)
}

var errTaken = errors.New("an object of that name is on the bus")

// Offer puts an object of the server's own on the bus. It is an error if there is one of that name.
func (s *Server) Offer(path string, methods ...Method) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offer(path, methods)
}

func (s *Server) offer(path string, methods []Method) error {
	o := &object{path: path, functions: map[string]Method{}}
	for _, m := range methods {
		o.functions[m.Name] = m
		var arguments []byte
		for _, a := range m.Arguments {
			arguments = append(arguments, named(kindInt32, a.Name, binary.BigEndian.AppendUint32(nil, uint32(a.Type)))...)
		}
		o.signature = append(o.signature, named(kindTable, m.Name, arguments)...)
	}
	if s.add(o) != OK {
		return errTaken
	}
	return nil
}

// Withdraw takes an object off the bus, whoever offers it; ubusd does that when the connection of its owner ends. A name
// that is not there is none to withdraw.
func (s *Server) Withdraw(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.find(path); o != nil {
		s.remove(o)
	}
}

// Objects are the names on the bus, sorted.
func (s *Server) Objects() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, o := range s.sorted() {
		if o.path != "" {
			paths = append(paths, o.path)
		}
	}
	return paths
}

// add needs the lock, as all below.
func (s *Server) add(o *object) Status {
	switch {
	case o.path != "" && s.find(o.path) != nil, strings.HasSuffix(o.path, "*"):
		return InvalidArgument
	case len(s.objects) >= maxObjects:
		return NoMemory
	}
	o.id = s.newID()
	s.objects[o.id] = o
	o.typeID = s.newID()
	if o.path != "" {
		s.announce("ubus.object.add", o)
	}
	return OK
}

func (s *Server) remove(o *object) {
	delete(s.objects, o.id)
	if o.path != "" {
		s.announce("ubus.object.remove", o)
	}
}

func (s *Server) find(path string) *object {
	for _, o := range s.objects {
		if o.path != "" && o.path == path {
			return o
		}
	}
	return nil
}

// sorted are all objects in the order of their names and ids.
func (s *Server) sorted() []*object {
	var all []*object
	for _, o := range s.objects {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *object) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.id, b.id))
	})
	return all
}

// call has a function answer in a goroutine of its own.
func (s *Server) call(c *client, f frame, o *object, method string, a attributes) Status {
	function, known := o.functions[method]
	if !known {
		return MethodNotFound
	}
	arguments, err := tableFrom(a[attrData], 1)
	if err != nil {
		return InvalidArgument
	}
	if s.closed || s.calls == maxCalls {
		return NoMemory
	}
	s.calls++
	s.all.Add(1)
	go func() {
		defer s.all.Done()
		reply, status := function.Answer(s.ctx, arguments)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls--
		if noReply := a[attrNoReply]; len(noReply) != 1 || noReply[0] == 0 {
			s.reply(c, f, o, reply, status)
		}
	}()
	return answered
}

// reply answers the call f. A reply that cannot be sent becomes a [SystemError].
func (s *Server) reply(c *client, f frame, o *object, reply map[string]any, status Status) {
	if reply != nil {
		data, err := fieldsOf(reply, 1)
		if body := append(blobUint32(attrObject, o.id), blob(attrData, data)...); err == nil && blobHead+len(body) <= maxBody {
			c.send(frame{kind: Data, seq: f.seq, peer: f.peer, body: body})
		} else {
			status = SystemError
		}
	}
	s.finish(c, f, status)
}

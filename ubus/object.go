// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// maxCalls bounds how many handlers of a client run at once.
const maxCalls = 16

var errCalls = fmt.Errorf("%d calls under way: try again later", maxCalls)

// Object is a named set of methods on the bus.
type Object struct {
	// Path is the name, such as "sqmd" or "network.interface.wan".
	Path string
	// Methods, in the order in which ubus -v list shows them.
	Methods []Method
}

// Method is one method of an object.
type Method struct {
	Name string
	// Args are the arguments that the method knows. All are optional; those
	// that are given must be of their type, or the call is answered with
	// StatusInvalidArgument without reaching Handle. Other arguments, such as
	// the ubus_rpc_session that rpcd adds, are passed on unchecked.
	Args   []Arg
	Handle Handler
}

// Arg is the policy of one argument. Integers of every width satisfy the
// integer types and TypeDouble, because JSON does not tell widths apart;
// TypeInt32 is the only one of them for which ubus -v list has a name.
type Arg struct {
	Name string
	Type Type
}

// Handler answers a call of a method. Each call runs in a goroutine of its own,
// at most 16 of a client at once; ctx ends with the client.
//
// The table is sent where it is not nil. An error chooses the code of the
// answer: the Status that it is or wraps, StatusTimeout for a passed deadline,
// StatusUnknown for any other. Since ubus carries no text, an error that is more
// than a Status and comes without a table is sent as {"error": text}.
type Handler func(ctx context.Context, r Request) (Table, error)

// Request is a call of a method.
type Request struct {
	Method string
	Args   Table
	// User and Group are the names of the account of the calling process, as
	// ubusd tells them. Calls from LuCI come from rpcd, which is root.
	User, Group string
}

// AddObject offers an object on the bus, from now on also after ubusd was
// restarted. It must not be changed afterwards. Where ubusd refuses it the error
// is [StatusInvalidArgument].
func (c *Client) AddObject(ctx context.Context, o Object) error {
	if o.Path == "" || strings.HasSuffix(o.Path, "*") {
		return fmt.Errorf("register ubus object %q: %w", o.Path, errPattern)
	}
	return c.register(ctx, &o)
}

func (o *Object) what() string { return "ubus object " + o.Path }

func (o *Object) register(ctx context.Context, c *Client, bus *conn) error {
	body := appendStringAttr(nil, attrPath, o.Path)
	body, err := appendSignature(body, o.Methods)
	if err == nil {
		_, err = bus.addObject(ctx, body, func(ctx context.Context, in invocation) { c.serve(ctx, bus, o, in) })
	}
	if errors.Is(err, StatusInvalidArgument) {
		err = fmt.Errorf("%w: another process has that name, or /usr/share/acl.d forbids it", err)
	}
	return err
}

// appendSignature appends what ubus -v list shows: for each method a table from
// argument names to type codes.
func appendSignature(b []byte, methods []Method) ([]byte, error) {
	b, start := openAttr(b, attrSignature<<attrIDShift)
	e := encoder{buf: b}
	for _, m := range methods {
		method := e.open(TypeTable, m.Name)
		for _, arg := range m.Args {
			e.field(arg.Name, int32(arg.Type), 1)
		}
		e.close(method)
	}
	if e.err != nil {
		return nil, e.err
	}
	return closeAttr(e.buf, start), nil
}

// decodeSignature is the inverse of appendSignature; it keeps the order.
func decodeSignature(b []byte) (methods []Method, err error) {
	for len(b) > 0 {
		var f field
		if f, b, err = nextField(b); err != nil {
			return nil, err
		}
		m := Method{Name: f.name}
		for args := f.payload; len(args) > 0; {
			if f, args, err = nextField(args); err != nil {
				return nil, err
			}
			if len(f.payload) != 4 {
				return nil, errMalformed
			}
			m.Args = append(m.Args, Arg{Name: f.name, Type: Type(binary.BigEndian.Uint32(f.payload))})
		}
		methods = append(methods, m)
	}
	return methods, nil
}

// serve answers an invocation of o in a goroutine of its own.
func (c *Client) serve(ctx context.Context, bus *conn, o *Object, in invocation) {
	select {
	case c.calls <- struct{}{}:
	default:
		bus.reply(in, errorTable(errCalls), errCalls)
		return
	}
	c.start(ctx, func(ctx context.Context) {
		defer func() { <-c.calls }()
		reply, err := o.handle(ctx, &in.attrs)
		if _, bare := err.(Status); err != nil && reply == nil && !bare {
			reply = errorTable(err)
		}
		bus.reply(in, reply, err)
	})
}

func (o *Object) handle(ctx context.Context, a *attrs) (Table, error) {
	name := a.text(attrMethod)
	for _, m := range o.Methods {
		if m.Name != name {
			continue
		}
		args, err := decodeTable(a[attrData])
		if err == nil {
			err = checkArgs(m.Args, args)
		}
		if err != nil {
			return errorTable(err), StatusInvalidArgument
		}
		return m.Handle(ctx, Request{Method: name, Args: args, User: a.text(attrUser), Group: a.text(attrGroup)})
	}
	return nil, StatusMethodNotFound
}

func checkArgs(policy []Arg, args Table) error {
	for _, arg := range policy {
		v := args[arg.Name]
		if v == nil { // absent, or null, which JSON callers send for it
			continue
		}
		if _, kind, _ := onWire(v); !arg.Type.accepts(kind) {
			return fmt.Errorf("argument %q is %s, want %s", arg.Name, kind, arg.Type)
		}
	}
	return nil
}

func (t Type) accepts(given Type) bool {
	if t.integer() || t == TypeDouble {
		return given == t || given.integer()
	}
	return given == t
}

func (t Type) integer() bool {
	return t == TypeInt16 || t == TypeInt32 || t == TypeInt64
}

// errorTable carries the text of err.
func errorTable(err error) Table { return Table{"error": err.Error()} }

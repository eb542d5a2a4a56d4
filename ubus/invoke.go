// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import "context"

// invocation is a call of a method of ours, or an event.
type invocation struct {
	seq    uint16
	peer   uint32
	object uint32
	attrs  attrs
}

// sink takes what is sent to an object of ours. It must not block, because it
// runs where answers are read.
type sink func(context.Context, invocation)

// invoked gives an invocation to the object it is for.
func (c *conn) invoked(ctx context.Context, m message) {
	a, err := parseAttrs(m.body)
	if err != nil {
		return
	}
	object, _ := a.uint32(attrObject)
	in := invocation{seq: m.seq, peer: m.peer, object: object, attrs: a}
	c.mu.Lock()
	sink := c.sinks[object]
	c.mu.Unlock()
	if sink == nil {
		c.reply(in, nil, StatusNotFound)
		return
	}
	sink(ctx, in)
}

// reply answers an invocation with a table, where there is one, and the code of
// result. Whether the answer arrives is not known: the caller may be gone.
func (c *conn) reply(in invocation, table Table, result error) {
	if in.attrs.flag(attrNoReply) {
		return
	}
	if table != nil {
		body, err := appendTableAttr(appendUint32Attr(nil, attrObject, in.object), attrData, table)
		if err == nil {
			err = c.send(message{kind: kindData, seq: in.seq, peer: in.peer, body: body})
		}
		if err != nil && result == nil {
			c.reply(in, errorTable(err), err)
			return
		}
	}
	body := appendUint32Attr(nil, attrStatus, codeOf(result))
	body = appendUint32Attr(body, attrObject, in.object)
	_ = c.send(message{kind: kindStatus, seq: in.seq, peer: in.peer, body: body})
}

// addObject registers an object whose invocations go to s, and returns its id.
// body is empty for an object without a path. The object is known before the
// next message is read, so that no invocation misses it.
func (c *conn) addObject(ctx context.Context, body []byte, s sink) (id uint32, err error) {
	err = c.request(ctx, kindAddObject, 0, body, func(a *attrs) error {
		var ok bool
		if id, ok = a.uint32(attrObject); !ok {
			return errMalformed
		}
		c.sinks[id] = s
		return nil
	})
	if err == nil && id == 0 {
		err = errMalformed
	}
	return id, err
}

// removeObject takes back addObject.
func (c *conn) removeObject(ctx context.Context, id uint32) error {
	err := c.request(ctx, kindRemoveObject, 0, appendUint32Attr(nil, attrObject, id), nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sinks, id)
	return err
}

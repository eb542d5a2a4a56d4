// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// maxObjects bounds, in objects, what one Lookup returns.
const maxObjects = 1024

var (
	errPattern = errors.New("an object path is not empty and does not end with '*'")
	errObjects = fmt.Errorf("more than %d objects: narrow the pattern", maxObjects)
)

// Call invokes a method and returns its reply, nil where the method sends none;
// of several replies it returns the first. An error of the other side is a
// [Status]: [StatusNotFound] where there is no such object,
// [StatusPermissionDenied] where /usr/share/acl.d does not open it to the user of
// this process, or what the method answers. Where the reply to a failed call has a string "error", the error
// repeats it.
func (c *Client) Call(ctx context.Context, object, method string, args Table) (Table, error) {
	reply, err := c.call(ctx, object, method, args)
	if err != nil {
		if text, ok := reply["error"].(string); ok {
			err = fmt.Errorf("%w: %q", err, text)
		}
		return nil, fmt.Errorf("ubus call %s %s: %w", object, method, err)
	}
	return reply, nil
}

func (c *Client) call(ctx context.Context, object, method string, args Table) (Table, error) {
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	if object == "" || strings.HasSuffix(object, "*") {
		return nil, errPattern
	}
	bus, err := c.current()
	if err != nil {
		return nil, err
	}
	// Looked up each time: an id dies with the process that offers the object.
	var id uint32
	err = bus.lookup(ctx, object, func(a *attrs) error {
		id, _ = a.uint32(attrObject)
		return nil
	})
	if err == nil && id == 0 {
		err = StatusPermissionDenied // ubusd hides objects of which no method may be called
	}
	if err != nil {
		return nil, err
	}
	return bus.invoke(ctx, id, method, args)
}

// lookup asks for the objects that match pattern.
func (c *conn) lookup(ctx context.Context, pattern string, found func(*attrs) error) error {
	var body []byte
	if pattern != "" {
		body = appendStringAttr(nil, attrPath, pattern)
	}
	return c.request(ctx, kindLookup, 0, body, found)
}

// invoke calls a method of the object id. The reply may come with an error.
func (c *conn) invoke(ctx context.Context, id uint32, method string, args Table) (Table, error) {
	body := appendUint32Attr(nil, attrObject, id)
	body = appendStringAttr(body, attrMethod, method)
	body, err := appendTableAttr(body, attrData, args)
	if err != nil {
		return nil, err
	}
	var data []byte
	failed := c.request(ctx, kindInvoke, id, body, func(a *attrs) error {
		if data == nil {
			data = a[attrData]
		}
		return nil
	})
	if data == nil {
		return nil, failed
	}
	reply, err := decodeTable(data)
	if failed != nil {
		return reply, failed
	}
	return reply, err
}

// Lookup returns the objects whose path is pattern or, where pattern ends with
// '*', begins with what is before it; an empty pattern finds all that the
// caller may see. The methods have no Handle. Where nothing is found the error
// is [StatusNotFound].
func (c *Client) Lookup(ctx context.Context, pattern string) ([]Object, error) {
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	bus, err := c.current()
	var objects []Object
	if err == nil {
		err = bus.lookup(ctx, pattern, func(a *attrs) error {
			if len(objects) == maxObjects {
				return errObjects
			}
			methods, err := decodeSignature(a[attrSignature])
			objects = append(objects, Object{Path: a.text(attrPath), Methods: methods})
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("ubus list %s: %w", pattern, err)
	}
	return objects, nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Decoded is a request read back, for a simulated kernel and for tests. Exactly
// one of Qdisc, Class and Filter is set.
//
// It is what the request's bytes say, which is not what a dump would show of the
// object: there are no statistics, handles and preferences that the kernel is to
// choose are 0, and options hold only what is sent. A change lacks what a kind
// takes only at creation (the flows of fq_codel). A class of htb has the level 0
// and no leaf, and its bursts are the least exact part, as in a dump: sizes that
// take as long. The order of a u32 rule is in the filter's handle. The deletion
// of a class or qdisc names no kind and has no options.
type Decoded struct {
	Delete bool
	Mode   Mode // for what is no deletion
	Qdisc  *Qdisc
	Class  *Class
	Filter *Filter
}

// Decode reads the request. It fails for requests about actions outside of
// filters, and for options that the decoder of their kind does not understand.
func (r Request) Decode() (Decoded, error) {
	d, err := r.decode(binary.NativeEndian)
	if err != nil {
		return Decoded{}, fmt.Errorf("decode request: %w", err)
	}
	return d, nil
}

func (r Request) decode(order binary.ByteOrder) (Decoded, error) {
	switch r.typ {
	case unix.RTM_NEWQDISC, unix.RTM_DELQDISC:
		q, err := decodeQdisc(order, r.body)
		if err == nil {
			q.Options, err = sentOptions(order, r.body, qdiscKinds)
		}
		return Decoded{Delete: r.typ == unix.RTM_DELQDISC, Mode: Mode(r.flags), Qdisc: &q}, err
	case unix.RTM_NEWTCLASS, unix.RTM_DELTCLASS:
		c, err := decodeClass(order, r.body)
		if err == nil {
			c.Options, err = sentOptions(order, r.body, classKinds)
		}
		return Decoded{Delete: r.typ == unix.RTM_DELTCLASS, Mode: Mode(r.flags), Class: &c}, err
	case unix.RTM_NEWTFILTER, unix.RTM_DELTFILTER:
		f, err := decodeFilter(order, r.body)
		if err == nil {
			f.Options, err = sentOptions(order, r.body, filterKinds)
		}
		return Decoded{Delete: r.typ == unix.RTM_DELTFILTER, Mode: Mode(r.flags), Filter: &f}, err
	}
	return Decoded{}, fmt.Errorf("message type %d is not about a qdisc, class or filter", r.typ)
}

// sentOptions reads options as they were sent. Those of a dump had their numbers
// rounded down by the kernel, and reading them mends that.
func sentOptions(order binary.ByteOrder, body []byte, kinds map[string]func() Options) (Options, error) {
	h, err := decodeHeader(order, body)
	if err != nil {
		return nil, err
	}
	known, ok := kinds[h.kind]
	if h.options == nil || !ok {
		return decodeOptions(kinds, h.kind, h.options), nil
	}
	o := known()
	if err := o.decode(h.options.nested()); err != nil {
		return nil, fmt.Errorf("options of %s: %w", h.kind, err)
	}
	return o, nil
}

// Request makes the request again.
func (d Decoded) Request() (Request, error) {
	switch {
	case d.Qdisc != nil && d.Delete:
		return QdiscDelete(*d.Qdisc), nil
	case d.Qdisc != nil:
		return QdiscRequest(d.Mode, *d.Qdisc)
	case d.Class != nil && d.Delete:
		return ClassDelete(*d.Class), nil
	case d.Class != nil:
		return ClassRequest(d.Mode, *d.Class)
	case d.Filter != nil && d.Delete:
		return FilterDelete(*d.Filter), nil
	case d.Filter != nil:
		return FilterRequest(d.Mode, *d.Filter)
	}
	return Request{}, errors.New("make request: nothing to ask for")
}

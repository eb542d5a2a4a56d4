// SPDX-License-Identifier: GPL-2.0-or-later

package front

import (
	"errors"
	"fmt"

	"sqmd/tc"
)

// modes are the verbs that create or alter.
var modes = map[string]tc.Mode{"add": tc.Add, "replace": tc.Replace, "change": tc.Change}

// reader reads lines in one network namespace.
type reader struct{ names tc.Names }

func (r reader) device(name string) (int, error) {
	if index := r.names.Index(name); index != 0 {
		return index, nil
	}
	return 0, fmt.Errorf("cannot find device %q", name)
}

var errNoDevice = errors.New(`"dev" is required`)

// qdisc reads what follows "qdisc VERB".
func (r reader) qdisc(verb string, w *words) (tc.Request, error) {
	q, err := r.qdiscPlace(w)
	if err == nil && q.Ifindex == 0 {
		err = errNoDevice
	}
	if err != nil {
		return tc.Request{}, withExit(exitCommonWord, err)
	}
	if verb == "delete" {
		return tc.QdiscDelete(q), nil
	}
	if q.Kind != "" {
		q.Options, err = tc.ParseQdiscWords(q.Kind, nil, w.list)
	}
	if err != nil {
		return tc.Request{}, withExit(exitKindWords, err)
	}
	return tc.QdiscRequest(modes[verb], q)
}

// qdiscPlace reads up to the kind.
func (r reader) qdiscPlace(w *words) (q tc.Qdisc, err error) {
	for err == nil {
		word, ok := w.next()
		if !ok {
			return q, nil
		}
		switch word {
		case "dev":
			err = take(w, &q.Ifindex, r.device)
		case "handle":
			err = take(w, &q.Handle, readQdiscHandle)
		case "root":
			q.Parent = tc.Root
		case "parent":
			err = take(w, &q.Parent, tc.ParseHandle)
		case "ingress", "clsact":
			q.Parent, q.Handle, q.Kind = tc.IngressParent, tc.IngressHandle, word
			return q, nil
		case "stab":
			q.Stab, w.list, err = tc.ParseSizeTable(w.list)
		case "ingress_block":
			err = take(w, &q.IngressBlock, readU32)
		case "egress_block":
			err = take(w, &q.EgressBlock, readU32)
		default:
			q.Kind = word
			return q, nil
		}
	}
	return q, err
}

// readQdiscHandle reads "1:", or "1" alone as tc(8) does for qdiscs.
func readQdiscHandle(s string) (tc.Handle, error) {
	h, err := tc.ParseHandle(s)
	if err == nil && (h == tc.Root || h.Minor() != 0) {
		err = fmt.Errorf("%q is not the handle of a qdisc", s)
	}
	return h, err
}

// class reads what follows "class VERB".
func (r reader) class(verb string, w *words) (tc.Request, error) {
	c, err := r.classPlace(w)
	if err == nil && c.Ifindex == 0 {
		err = errNoDevice
	}
	if err != nil {
		return tc.Request{}, withExit(exitCommonWord, err)
	}
	if verb == "delete" {
		return tc.ClassDelete(c), nil
	}
	if c.Kind != "" {
		c.Options, err = tc.ParseClassWords(c.Kind, w.list)
	}
	if err != nil {
		return tc.Request{}, withExit(exitKindWords, err)
	}
	return tc.ClassRequest(modes[verb], c)
}

// classPlace reads up to the kind.
func (r reader) classPlace(w *words) (c tc.Class, err error) {
	for err == nil {
		word, ok := w.next()
		if !ok {
			return c, nil
		}
		switch word {
		case "dev":
			err = take(w, &c.Ifindex, r.device)
		case "classid":
			err = take(w, &c.Handle, tc.ParseHandle)
		case "root":
			c.Parent = tc.Root
		case "parent":
			err = take(w, &c.Parent, tc.ParseHandle)
		default:
			c.Kind = word
			return c, nil
		}
	}
	return c, err
}

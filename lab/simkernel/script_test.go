// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"fmt"
	"strings"

	"sqmd/tc"
)

var modes = map[string]tc.Mode{"add": tc.Add, "replace": tc.Replace, "change": tc.Change}

// request reads a line of a script:
//
//	qdisc VERB DEV root|ingress|CLASSID HANDLE [stab WORDS... --] [KIND WORDS...]
//	class VERB DEV PARENT CLASSID [KIND WORDS...]
//	filter VERB DEV hook|HANDLE PREF[/HANDLE] [ip] [KIND WORDS...]
//
// HANDLE can be 0; "delete" ends after the place.
func request(line string, names tc.Names) (tc.Request, error) {
	w := strings.Fields(line)
	if len(w) < 5 {
		return tc.Request{}, fmt.Errorf("%q is too short", line)
	}
	ifindex := names.Index(w[2])
	switch w[0] {
	case "qdisc":
		return qdiscRequest(w, ifindex)
	case "class":
		return classRequest(w, ifindex)
	}
	return filterRequest(w, ifindex, names)
}

func qdiscRequest(w []string, ifindex int) (tc.Request, error) {
	q := tc.Qdisc{Ifindex: ifindex}
	if w[3] == "ingress" {
		q.Parent = tc.IngressParent
	} else if err := handle(&q.Parent, w[3]); err != nil {
		return tc.Request{}, err
	}
	if err := handle(&q.Handle, w[4]); err != nil {
		return tc.Request{}, err
	}
	if w[1] == "delete" {
		return tc.QdiscDelete(q), nil
	}
	words, err := w[5:], error(nil)
	if words[0] == "stab" {
		if q.Stab, words, err = tc.ParseSizeTable(words[1:]); err != nil {
			return tc.Request{}, err
		}
	}
	q.Kind = words[0]
	if len(words) > 1 || words[0] != "pfifo" {
		if q.Options, err = tc.ParseQdiscWords(q.Kind, nil, words[1:]); err != nil {
			return tc.Request{}, err
		}
	}
	return tc.QdiscRequest(modes[w[1]], q)
}

func classRequest(w []string, ifindex int) (tc.Request, error) {
	c := tc.Class{Ifindex: ifindex}
	if err := handle(&c.Parent, w[3]); err != nil {
		return tc.Request{}, err
	}
	if err := handle(&c.Handle, w[4]); err != nil {
		return tc.Request{}, err
	}
	if w[1] == "delete" {
		return tc.ClassDelete(c), nil
	}
	var err error
	c.Kind = w[5]
	if c.Options, err = tc.ParseClassWords(c.Kind, w[6:]); err != nil {
		return tc.Request{}, err
	}
	return tc.ClassRequest(modes[w[1]], c)
}

func filterRequest(w []string, ifindex int, names tc.Names) (tc.Request, error) {
	f := tc.Filter{Ifindex: ifindex, Protocol: tc.ProtocolAll, Parent: tc.IngressHook}
	if w[3] != "hook" {
		if err := handle(&f.Parent, w[3]); err != nil {
			return tc.Request{}, err
		}
	}
	if _, err := fmt.Sscanf(w[4]+"/0", "%d/%x", &f.Pref, &f.Handle); err != nil {
		return tc.Request{}, err
	}
	words := w[5:]
	if len(words) > 0 && words[0] == "ip" {
		f.Protocol, words = tc.ProtocolIPv4, words[1:]
	}
	if len(words) > 0 {
		f.Kind = words[0]
	}
	if w[1] == "delete" {
		if f.Pref == 0 {
			f.Protocol = 0
		}
		return tc.FilterDelete(f), nil
	}
	var err error
	if f.Options, err = tc.ParseFilterWords(f.Kind, words[1:], pointed{names}); err != nil {
		return tc.Request{}, err
	}
	return tc.FilterRequest(modes[w[1]], f)
}

// pointed resolves devices that filters point to; one that does not exist has an
// index all the same, which the kernel refuses.
type pointed struct{ tc.Names }

func (p pointed) Index(name string) int {
	if index := p.Names.Index(name); index != 0 {
		return index
	}
	return 9999
}

func handle(h *tc.Handle, text string) error {
	if text == "0" {
		return nil
	}
	var err error
	*h, err = tc.ParseHandle(text)
	return err
}

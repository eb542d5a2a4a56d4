// SPDX-License-Identifier: GPL-2.0-or-later

package front

import (
	"fmt"
	"slices"

	"sqmd/tc"
)

// filter reads what follows "filter VERB".
func (r reader) filter(verb string, w *words) (tc.Request, error) {
	f, err := r.filterPlace(w)
	if err == nil && f.Ifindex == 0 {
		err = errNoDevice
	}
	if err != nil {
		return tc.Request{}, withExit(exitCommonWord, err)
	}
	if verb == "delete" {
		return tc.FilterDelete(f.Filter), nil
	}
	if f.Protocol == 0 {
		f.Protocol = protocols["all"]
	}
	if f.Options, err = r.filterOptions(f.Kind, append(f.kindWords, w.list...)); err != nil {
		return tc.Request{}, err
	}
	return tc.FilterRequest(modes[verb], f.Filter)
}

// filterOptions reads the kind's words. When those before the first action are good, what is wrong is an action.
func (r reader) filterOptions(kind string, list []string) (tc.Options, error) {
	options, err := tc.ParseFilterWords(kind, list, r.names)
	if err == nil {
		return options, nil
	}
	if action := slices.Index(list, "action"); action >= 0 {
		if _, before := tc.ParseFilterWords(kind, list[:action], r.names); before == nil {
			return nil, withExit(exitCommonWord, err)
		}
	}
	return nil, withExit(exitKindWords, err)
}

// filterPlace is a filter of which everything before the kind's words is known.
type filterPlace struct {
	tc.Filter
	// kindWords come from the handle, which says more than a number for some kinds.
	kindWords []string
}

// filterPlace reads up to the kind, and then the handle, whose form depends on the kind.
func (r reader) filterPlace(w *words) (f filterPlace, err error) {
	handle := ""
	for err == nil && f.Kind == "" {
		word, ok := w.next()
		if !ok {
			break
		}
		switch word {
		case "dev":
			err = take(w, &f.Ifindex, r.device)
		case "root":
			f.Parent = tc.Root
		case "ingress":
			f.Parent = tc.IngressHook
		case "egress":
			f.Parent = tc.EgressHook
		case "parent":
			err = take(w, &f.Parent, tc.ParseHandle)
		case "handle":
			err = take(w, &handle, readText)
		case "pref", "prio", "priority":
			err = take(w, &f.Pref, readU16)
		case "protocol":
			err = take(w, &f.Protocol, readProtocol)
		case "chain":
			err = take(w, &f.Chain, readU32)
		default:
			f.Kind = word
		}
	}
	if err == nil && handle != "" {
		if err = f.readHandle(handle); err != nil {
			err = withExit(exitKindWords, err)
		}
	}
	return f, err
}

// protocols are the names of ETH_P_* numbers (linux/if_ether.h) that the test cases use.
var protocols = map[string]uint16{
	"802_3": 0x0001, "all": 0x0003, "ip": 0x0800, "ipv4": 0x0800, "arp": 0x0806,
	"802.1Q": 0x8100, "ipv6": 0x86dd, "802.1ad": 0x88a8,
}

func readProtocol(s string) (uint16, error) {
	if n, known := protocols[s]; known {
		return n, nil
	}
	n, err := readU16(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a protocol", s)
	}
	return n, nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

package front

import (
	"fmt"
	"slices"

	"sqmd/tc"
)

// filter reads what follows "filter VERB".
func (r reader) filter(verb string, w *words) (tc.Request, error) {
	f, handle, err := r.filterPlace(w)
	if err == nil && f.Ifindex == 0 {
		err = errNoDevice
	}
	if err != nil {
		return tc.Request{}, withExit(exitCommonWord, err)
	}
	var mask uint32
	if handle != "" {
		if f.Handle, mask, err = tc.ParseFilterHandle(f.Kind, handle); err != nil {
			return tc.Request{}, withExit(exitKindWords, err)
		}
	}
	if verb == "delete" {
		return tc.FilterDelete(f), nil
	}
	if f.Protocol == 0 {
		f.Protocol = tc.ProtocolAll
	}
	// A kind without a word is sent without options, which is not the same to the kernel as empty options.
	if len(w.list) > 0 {
		if f.Options, err = r.filterOptions(f.Kind, w.list); err != nil {
			return tc.Request{}, err
		}
	}
	if fw, ok := f.Options.(*tc.Fw); ok {
		fw.Mask = mask
	}
	return tc.FilterRequest(modes[verb], f)
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

// filterPlace reads up to the kind. The handle's form depends on the kind.
func (r reader) filterPlace(w *words) (f tc.Filter, handle string, err error) {
	for err == nil {
		word, ok := w.next()
		if !ok {
			return f, handle, nil
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
			return f, handle, nil
		}
	}
	return f, handle, err
}

// protocols are the names that test cases have for protocols (linux/if_ether.h).
var protocols = map[string]uint16{
	"802_3": 0x0001, "all": tc.ProtocolAll, "ip": tc.ProtocolIPv4, "ipv4": tc.ProtocolIPv4, "arp": tc.ProtocolARP,
	"ipv6": tc.ProtocolIPv6, "802.1Q": tc.ProtocolVLAN, "802.1ad": tc.ProtocolQinQ,
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

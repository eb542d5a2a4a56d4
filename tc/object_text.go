// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"strings"
)

// Command is the tc(8) line that makes the qdisc, for a person to paste into a
// shell. verb is "add", "replace", "change" or "delete".
func (q Qdisc) Command(verb string, names Names) string {
	out := []string{"tc", "qdisc", verb, "dev", deviceName(names, q.Ifindex)}
	if q.Parent == IngressParent {
		return shellLine(append(append(out, q.blockWords()...), q.Kind), nil)
	}
	out = append(out, parentWords(q.Parent)...)
	if q.Handle.Major() != 0 {
		out = append(out, "handle", q.Handle.String())
	}
	if verb == "delete" {
		return shellLine(out, nil)
	}
	out = append(out, q.blockWords()...)
	if q.Stab != nil {
		out = append(append(out, "stab"), q.Stab.Words()...)
	}
	return shellLine(append(append(out, q.Kind), optionWords(q.Options, names)...), q.Options)
}

func (q Qdisc) blockWords() []string {
	var out []string
	if q.IngressBlock != 0 {
		out = append(out, "ingress_block", numberText(q.IngressBlock))
	}
	if q.EgressBlock != 0 {
		out = append(out, "egress_block", numberText(q.EgressBlock))
	}
	return out
}

// Command is the tc(8) line that makes the class; see [Qdisc.Command].
func (c Class) Command(verb string, names Names) string {
	out := []string{"tc", "class", verb, "dev", deviceName(names, c.Ifindex)}
	if verb == "delete" {
		return shellLine(append(out, "classid", c.Handle.String()), nil)
	}
	out = append(append(out, parentWords(c.Parent)...), "classid", c.Handle.String(), c.Kind)
	return shellLine(append(out, optionWords(c.Options, names)...), c.Options)
}

// Command is the tc(8) line that makes the filter; see [Qdisc.Command]. To delete
// a filter without a handle deletes all of its preference and protocol.
func (f Filter) Command(verb string, names Names) string {
	out := []string{"tc", "filter", verb, "dev", deviceName(names, f.Ifindex)}
	out = append(append(out, parentWords(f.Parent)...), "protocol", protocolText(f.Protocol))
	if f.Pref != 0 {
		out = append(out, "pref", numberText(f.Pref))
	}
	if f.Chain != 0 {
		out = append(out, "chain", numberText(f.Chain))
	}
	if h, ok := f.Options.(handleTexter); ok && (f.Handle != 0 || f.Kind == "fw") {
		out = append(out, "handle", h.handleText(f.Handle))
	} else if f.Handle != 0 {
		out = append(out, "handle", hexText(f.Handle))
	}
	out = append(out, f.Kind)
	if verb == "delete" {
		return shellLine(out, nil)
	}
	return shellLine(append(out, optionWords(f.Options, names)...), f.Options)
}

// handleTexter is implemented by filter kinds whose handle is more than a number.
type handleTexter interface{ handleText(handle uint32) string }

// parentWords names where an object hangs; none for the root qdisc's handle.
func parentWords(h Handle) []string {
	switch h {
	case 0:
		return nil
	case Root:
		return []string{"root"}
	case IngressHook:
		return []string{"ingress"}
	case EgressHook:
		return []string{"egress"}
	}
	return []string{"parent", h.String()}
}

func optionWords(o Options, names Names) []string {
	if o == nil {
		return nil
	}
	return o.Words(names)
}

// deviceName is the name of a device, "*" when it is gone, as tc(8) prints it.
func deviceName(names Names, ifindex int) string {
	if names != nil {
		if name := names.Name(ifindex); name != "" {
			return name
		}
	}
	return "*"
}

// shellLine joins words so that a shell reads the same words. It ends in a
// comment when the line does not say all.
func shellLine(list []string, o Options) string {
	var b strings.Builder
	for i, w := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(shellWord(w))
	}
	if raw, ok := o.(*Raw); ok && len(raw.Data) > 0 {
		fmt.Fprintf(&b, " # and %d bytes of options that are not known", len(raw.Data))
	}
	return b.String()
}

// shellWord quotes a word that holds anything but letters, digits and ._@:-+/,%=
func shellWord(w string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._@:-+/,%=", c)
	}
	if w != "" && strings.IndexFunc(w, func(c rune) bool { return !plain(c) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

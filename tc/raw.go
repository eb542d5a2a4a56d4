// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Raw holds the options of a kind this package does not know, as dumped, so that
// it can be compared and put back.
type Raw struct {
	kind string
	Data []byte
}

// Kind is the kernel's name of the kind.
func (r *Raw) Kind() string { return r.kind }

// Words is empty: tc(8) text needs knowledge of the kind.
func (r *Raw) Words(Names) []string { return nil }

func (r *Raw) encode(e *encoder) error { e.buf = append(e.buf, r.Data...); return nil }
func (r *Raw) decode(d decoder) error  { r.Data = append([]byte(nil), d.buf...); return nil }
func (r *Raw) parse(w *words) error    { return nil }
func (r *Raw) satisfied(have Options) bool {
	h, ok := have.(*Raw)
	return ok && h.kind == r.kind && string(h.Data) == string(r.Data)
}

// None is the options of a kind that has none, such as ingress and clsact.
type None struct{ kind string }

// Kind is the kernel's name of the kind.
func (n *None) Kind() string { return n.kind }

// Words is always empty.
func (n *None) Words(Names) []string { return nil }

func (n *None) encode(*encoder) error { return nil }
func (n *None) frame() (uint16, bool) { return 0, false }
func (n *None) decode(decoder) error  { return nil }
func (n *None) parse(*words) error    { return nil }
func (n *None) satisfied(have Options) bool {
	return have == nil || have.Kind() == n.kind
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Fifo is the options of the pfifo, bfifo and pfifo_head_drop qdiscs,
// tc-pfifo(8).
type Fifo struct {
	// Name is "pfifo", "bfifo" or "pfifo_head_drop"; "" is pfifo.
	Name string
	// Limit is packets, for bfifo bytes; nil is the device's transmit queue
	// length, for bfifo times its MTU.
	Limit *uint32
}

// Kind is the Name.
func (f *Fifo) Kind() string {
	if f.Name == "" {
		return "pfifo"
	}
	return f.Name
}

// Words spells the options for tc-pfifo(8).
func (f *Fifo) Words(Names) []string {
	if f.Limit == nil {
		return nil
	}
	return []string{"limit", numberText(*f.Limit)}
}

// frame: the kernel refuses options without a limit.
func (f *Fifo) frame() (uint16, bool) { return 0, f.Limit != nil }

// encode: TCA_OPTIONS is struct tc_fifo_qopt {u32 limit}, without attributes.
func (f *Fifo) encode(e *encoder) error {
	if f.Limit != nil {
		e.raw(*f.Limit)
	}
	return nil
}

func (f *Fifo) decode(d decoder) error {
	if len(d.buf) < 4 {
		return errTruncated
	}
	f.Limit = ref(d.value().u32())
	return nil
}

func (f *Fifo) parse(w *words) error {
	return wordTable{"limit": with(&f.Limit, ParseSize)}.parse(w)
}

func (f *Fifo) clone() Options { return cloned(f) }

func (f *Fifo) satisfied(have Options) bool {
	got, ok := have.(*Fifo)
	return ok && same(f.Limit, got.Limit)
}

// changeable: the limit can be moved at any time.
func (f *Fifo) changeable(have Options) bool {
	_, ok := have.(*Fifo)
	return ok
}

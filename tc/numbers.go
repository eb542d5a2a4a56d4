// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// number describes one optional 32-bit parameter of a kind: where it is kept,
// its attribute, its tc(8) word, and what the kernel makes of it. The kinds that
// are a plain list of such parameters get their methods from the list.
type number struct {
	field  **uint32
	attr   uint16
	narrow bool   // an attribute of one byte
	word   string // "" when the kind spells it in its own way
	form   form
	// kept is what the kernel shows for a number that was given; nil when it
	// shows the same.
	kept func(given uint32) uint32
	// agrees compares a number asked for with a dumped one where kept cannot.
	agrees func(want, have uint32) bool
	// initial is what a new qdisc has; nil when that depends on the device or
	// the kernel's build.
	initial *uint32
	// lingers tells from the kernel's value that it was given once and that
	// leaving it out of a change would keep it; nil when that cannot happen or
	// cannot be told.
	lingers func(have *uint32) bool
	// fixed is true when the kernel refuses to change it, or even to be told it
	// again, on a living qdisc.
	fixed bool
}

// form is how tc(8) writes a number.
type form struct {
	read func(string) (uint32, error)
	text func(uint32) string
	// flag is true for a switch: the word alone means 1, and off 0 where tc(8)
	// has a word for it.
	flag bool
	off  string
	// nonzero is true when tc(8) takes 0 for "not given".
	nonzero bool
}

var (
	plainForm = form{read: parseU32, text: numberText[uint32], nonzero: true}
	timeForm  = form{read: ParseTime, text: timeText, nonzero: true}
	sizeForm  = form{read: ParseSize, text: sizeText, nonzero: true}
)

func switchForm(off string) form { return form{flag: true, off: off} }

// zero makes 0 a value like any other.
func (f form) zero() form {
	f.nonzero = false
	return f
}

// zeroOrOne: the kernel makes a truth value of it.
func zeroOrOne(given uint32) uint32 { return min(given, 1) }

// numbers is the list of a kind, in the order in which tc(8) sends them.
type numbers []number

func (list numbers) encode(e *encoder) {
	for _, n := range list {
		if v := *n.field; v != nil && n.narrow {
			e.u8(n.attr, uint8(*v))
		} else {
			e.optU32(n.attr, v)
		}
	}
}

func (list numbers) decode(d decoder) error { return d.each(list.read) }

// read takes one attribute.
func (list numbers) read(typ uint16, v value) {
	for _, n := range list {
		switch {
		case n.attr == typ && n.narrow:
			*n.field = ref(uint32(v.u8()))
		case n.attr == typ:
			*n.field = ref(v.u32())
		}
	}
}

// table gives the words of all parameters.
func (list numbers) table() wordTable {
	t := wordTable{}
	for _, n := range list {
		switch {
		case n.word == "":
		case n.form.flag:
			t[n.word] = set(n.field, uint32(1))
			if n.form.off != "" {
				t[n.form.off] = set(n.field, uint32(0))
			}
		case n.form.nonzero:
			t[n.word] = func(w *words) error {
				v, err := take(w, n.form.read)
				*n.field = &v
				if v == 0 {
					*n.field = nil
				}
				return err
			}
		default:
			t[n.word] = with(n.field, n.form.read)
		}
	}
	return t
}

func (list numbers) words() []string {
	var out []string
	for _, n := range list {
		v := *n.field
		switch {
		case v == nil || n.word == "" || n.form.nonzero && *v == 0:
		case n.form.flag:
			out = append(out, flagWord(v, n.word, n.form.off))
		default:
			out = append(out, n.word, n.form.text(*v))
		}
	}
	return withoutEmpty(out)
}

// complete fills in what a new qdisc has, where that is the same everywhere.
func (list numbers) complete() {
	for _, n := range list {
		if *n.field == nil {
			*n.field = n.initial
		}
	}
}

// forget removes what must not be said to a living qdisc.
func (list numbers) forget() {
	for _, n := range list {
		if n.fixed {
			*n.field = nil
		}
	}
}

func (n number) satisfied(have *uint32) bool {
	want := *n.field
	switch {
	case want == nil:
		return n.lingers == nil || !n.lingers(have)
	case have == nil:
		return false
	case *want == *have:
		return true
	case n.agrees != nil:
		return n.agrees(*want, *have)
	}
	// Dumps are restored, see below; a figure that tc(8) showed is not.
	return n.kept != nil && (n.kept(*want) == n.kept(*have) || n.kept(*want) == *have)
}

// restore turns numbers as the kernel shows them, rounded down, into ones that it
// shows so and that tc(8) can say: a time of 5000 microseconds that reads 4999
// becomes 5000 again.
func (list numbers) restore() {
	for _, n := range list {
		v := *n.field
		if v == nil || n.kept == nil || n.kept(*v) == *v && !(*v == 0 && n.form.nonzero) {
			continue
		}
		if n.kept(*v+1) == *v {
			*n.field = ref(*v + 1)
		}
	}
}

func (list numbers) satisfied(have numbers) bool {
	for i, n := range list {
		if !n.satisfied(*have[i].field) {
			return false
		}
	}
	return true
}

// changeable: a parameter that is given can be changed unless it is fixed; one
// that is not given must not linger.
func (list numbers) changeable(have numbers) bool {
	for i, n := range list {
		if (n.fixed || *n.field == nil) && !n.satisfied(*have[i].field) {
			return false
		}
	}
	return true
}

// numbered is a kind that is a list of numbers and nothing else.
type numbered[T any] interface {
	*T
	Options
	numbers() numbers
}

func completed[T any, P numbered[T]](o P) Options {
	full := P(cloned(o))
	full.numbers().complete()
	return full
}

func withoutFixed[T any, P numbered[T]](o P) Options {
	rest := P(cloned(o))
	rest.numbers().forget()
	return rest
}

func allSatisfied[T any, P numbered[T]](want P, have Options) bool {
	h, ok := have.(P)
	return ok && want.numbers().satisfied(h.numbers())
}

func allChangeable[T any, P numbered[T]](want P, have Options) bool {
	h, ok := have.(P)
	return ok && want.numbers().changeable(h.numbers())
}

// Guesses about parameters that were not asked for and whose default is the
// device's or the kernel's own business. A wrong "lingers" would have a qdisc
// replaced again and again, a missed one only keeps an old value until the qdisc
// is next created; so these speak up only where no default can lie.

// given is for parameters that are absent until somebody gives them.
func given(have *uint32) bool { return have != nil }

// givenNonzero is for parameters that read 0 until somebody gives them.
func givenNonzero(have *uint32) bool { return have != nil && *have != 0 }

// smallestMTU is the least MTU that IPv4 links have in practice (RFC 791, 3.2).
const smallestMTU = 576

// belowMTU is for quanta, whose default is the device's MTU and link header.
func belowMTU(have *uint32) bool { return have != nil && *have < smallestMTU }

// oddMemory is for memory limits: 32 MiB in Linux, 4 MiB in OpenWrt. Any power
// of two from 1 MiB on may be the default of some other build.
func oddMemory(have *uint32) bool {
	return have != nil && (*have < 1<<20 || *have&(*have-1) != 0)
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// The kinds this package speaks. A constructor gives empty options to decode or
// parse into.

func none(kind string) func() Options { return func() Options { return &None{kind} } }

var qdiscKinds = map[string]func() Options{
	"cake":    func() Options { return &Cake{} },
	"cake_mq": func() Options { return &Cake{MQ: true} },
	"clsact":  none("clsact"),
	"ingress": none("ingress"),
	"mq":      none("mq"),
	"noqueue": none("noqueue"),
}

var classKinds = map[string]func() Options{
	"cake": none("cake"),
	"mq":   none("mq"),
}

var filterKinds = map[string]func() Options{}

// actionKinds are the actions that filters can carry.
var actionKinds = map[string]func() Options{}

// copyOptions copies base into o, which must be of the same kind.
func copyOptions(o, base Options) {
	switch b := base.(type) {
	case *Cake:
		*o.(*Cake) = *b
	}
}

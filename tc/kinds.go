// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// The kinds this package speaks. A constructor gives empty options to decode or
// parse into.

func none(kind string) func() Options { return func() Options { return &None{kind} } }

var qdiscKinds = map[string]func() Options{
	"bfifo":           func() Options { return &Fifo{Name: "bfifo"} },
	"cake":            func() Options { return &Cake{} },
	"cake_mq":         func() Options { return &Cake{MQ: true} },
	"clsact":          none("clsact"),
	"codel":           func() Options { return &Codel{} },
	"drr":             none("drr"),
	"fq_codel":        func() Options { return &FqCodel{} },
	"fq_pie":          func() Options { return &FqPie{} },
	"htb":             func() Options { return &HTB{} },
	"ingress":         none("ingress"),
	"mq":              none("mq"),
	"noqueue":         none("noqueue"),
	"pfifo":           func() Options { return &Fifo{Name: "pfifo"} },
	"pfifo_fast":      none("pfifo_fast"),
	"pfifo_head_drop": func() Options { return &Fifo{Name: "pfifo_head_drop"} },
	"pie":             func() Options { return &Pie{} },
	"red":             func() Options { return &RED{} },
	"sfq":             func() Options { return &SFQ{} },
	"tbf":             func() Options { return &TBF{} },
}

var classKinds = map[string]func() Options{
	"cake":     none("cake"),
	"fq_codel": none("fq_codel"),
	"fq_pie":   none("fq_pie"),
	"htb":      func() Options { return &HTBClass{} },
	"mq":       none("mq"),
	"red":      none("red"),
	"sfq":      none("sfq"),
	"tbf":      none("tbf"),
}

var filterKinds = map[string]func() Options{
	"flower":   func() Options { return &Flower{} },
	"fw":       func() Options { return &Fw{} },
	"matchall": func() Options { return &Matchall{} },
	"u32":      func() Options { return &U32{} },
}

// actionKinds are the actions that filters can carry.
var actionKinds = map[string]func() Options{
	"csum":    func() Options { return &Csum{} },
	"ctinfo":  func() Options { return &CtInfo{} },
	"gact":    func() Options { return &Gact{} },
	"mirred":  func() Options { return &Mirred{} },
	"pedit":   func() Options { return &Pedit{} },
	"skbedit": func() Options { return &Skbedit{} },
}

// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"reflect"
	"syscall"

	"sqmd/tc"
)

// newOptions is the options that the kernel shows of a new qdisc: those asked
// for, and defaults for the rest.
func newOptions(want tc.Qdisc, d *device) (tc.Options, error) {
	given := deepCopy(want.Options)
	if given == nil {
		given = emptyOptions(want.Kind)
	}
	if given == nil {
		return nil, refusal(syscall.EINVAL)
	}
	full := tc.Complete(given)
	switch o := full.(type) {
	case *tc.FqCodel:
		fill(&o.Quantum, d.psched())
		fill(&o.MemoryLimit, 32<<20)
	case *tc.FqPie:
		o.TUpdate = inTimerTicks(*o.TUpdate)
		fill(&o.Quantum, d.psched())
		fill(&o.MemoryLimit, 32<<20)
	case *tc.SFQ:
		fill(&o.Quantum, d.psched())
		settleSFQ(o, given.(*tc.SFQ).Limit != nil)
	case *tc.Pie:
		o.TUpdate = inTimerTicks(*o.TUpdate)
	case *tc.HTB:
		fill(&o.DirectQlen, max(d.txQueueLen, 2))
		if o.R2Q == 0 {
			o.R2Q = 10
		}
	case *tc.Fifo:
		limit := d.txQueueLen
		if o.Kind() == "bfifo" {
			limit *= d.psched()
		}
		fill(&o.Limit, limit)
	}
	return full, nil
}

// fill sets a field that was not given.
func fill(field **uint32, v uint32) {
	if *field == nil {
		*field = &v
	}
}

// settleSFQ: the parameters of sfq limit each other (sfq_change,
// net/sched/sch_sfq.c), the flows by the limit only in a request that has one.
func settleSFQ(o *tc.SFQ, limited bool) {
	*o.Depth = min(*o.Depth, 127)
	*o.Flows = min(*o.Flows, *o.Divisor)
	*o.Limit = min(*o.Limit, *o.Depth**o.Flows)
	if limited {
		*o.Flows = min(*o.Flows, *o.Limit)
	}
}

// timerTick is what the simulated kernel counts pie's updates in, in
// microseconds: HZ is 100, as in OpenWrt.
const timerTick = 10000

func inTimerTicks(us uint32) *uint32 {
	n := uint32((uint64(us) + timerTick - 1) / timerTick * timerTick)
	return &n
}

// emptyOptions is what the kernel makes of a request without options; nil for
// kinds that it refuses them to.
func emptyOptions(kind string) tc.Options {
	switch kind {
	case "bfifo", "pfifo", "pfifo_head_drop":
		return &tc.Fifo{Name: kind}
	case "cake", "cake_mq":
		return &tc.Cake{MQ: kind == "cake_mq"}
	case "codel":
		return &tc.Codel{}
	case "fq_codel":
		return &tc.FqCodel{}
	case "fq_pie":
		return &tc.FqPie{}
	case "pie":
		return &tc.Pie{}
	case "sfq":
		return &tc.SFQ{}
	case "htb", "red", "tbf":
		return nil
	}
	o, err := tc.ParseQdiscWords(kind, nil, nil)
	if err != nil {
		return nil
	}
	return o
}

// changedOptions is a living qdisc's options after a change. The error is that of
// kinds that cannot be changed, and of parts that cannot.
func changedOptions(have, want tc.Options) (tc.Options, error) {
	switch w := want.(type) {
	case *tc.HTB, *tc.SFQ, *tc.None:
		return nil, refusal(syscall.EINVAL)
	case *tc.FqCodel:
		if w.Flows != nil {
			return nil, refusal(syscall.EINVAL)
		}
	case *tc.FqPie:
		if w.Flows != nil {
			return nil, refusal(syscall.EINVAL)
		}
	case *tc.Cake:
		merged := merge(have, want).(*tc.Cake)
		merged.MQ = have.(*tc.Cake).MQ
		// Raw takes back an overhead, an overhead takes back raw.
		merged.Raw = w.Raw || w.Overhead == nil && have.(*tc.Cake).Raw
		return merged, nil
	}
	merged := merge(have, want)
	switch o := merged.(type) {
	case *tc.Pie:
		o.TUpdate = inTimerTicks(*o.TUpdate)
	case *tc.FqPie:
		o.TUpdate = inTimerTicks(*o.TUpdate)
	}
	return merged, nil
}

// merge is have with all that is given in want. A pointer that is nil is not
// given; everything else always is.
func merge(have, want tc.Options) tc.Options {
	merged := deepCopy(have)
	to, from := reflect.ValueOf(merged).Elem(), reflect.ValueOf(deepCopy(want)).Elem()
	for i := range to.NumField() {
		given := from.Field(i).Kind() != reflect.Pointer || !from.Field(i).IsNil()
		if to.Field(i).CanSet() && given {
			to.Field(i).Set(from.Field(i))
		}
	}
	return merged
}

// passLimit: tbf gives its limit to a fifo under it with every change
// (fifo_set_limit, net/sched/sch_fifo.c).
func (q *qdisc) passLimit() {
	t, ok := q.Options.(*tc.TBF)
	if !ok || q.leaf == nil {
		return
	}
	if fifo, ok := q.leaf.Options.(*tc.Fifo); ok {
		fifo.Limit = &t.Limit
		q.leaf.Options = deepCopy(fifo)
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later

package uci

// cake reads the options that only cake has. Where another shaper is in force
// they are read all the same, and then reported as ineffective.
func (d *decoder) cake() {
	q := &d.queue
	q.NAT = d.optionalFlag("nat")
	q.Isolation = d.choice("isolation")
	q.AckFilter = d.ackFilter()
	q.RTT = d.quantity("rtt", roundTripTime)
	q.MemLimit = d.quantity("memlimit", size)
	q.SplitGSO = d.optionalFlag("split_gso")
	q.DiffservIngress = d.choice("diffserv_ingress")
	q.DiffservEgress = d.choice("diffserv_egress")
	q.WashEgress = d.optionalFlag("wash_egress")
}

// ackFilter reads a truth value or "aggressive".
func (d *decoder) ackFilter() string {
	if d.text("ack_filter") == "aggressive" {
		d.note("ack_filter", true)
		return "aggressive"
	}
	on, given := d.flag("ack_filter")
	switch {
	case !given:
		return ""
	case on:
		return "on"
	}
	return "off"
}

// quantity reads an amount inside the range of the schema; 0 is absent.
func (d *decoder) quantity(name string, read func(string) (int64, bool)) int64 {
	text := d.text(name)
	if text == "" {
		return 0
	}
	info := d.describe(name)
	n, ok := read(text)
	switch {
	case !ok:
		d.unusable(info, "not readable")
	case !info.Range.holds(n):
		d.unusable(info, "out of range")
	default:
		d.note(name, true)
		return n
	}
	return 0
}

// goal works the goal into the options that it stands for and that are not set.
func (d *decoder) goal() {
	q := &d.queue
	q.Goal = d.choice("goal")
	switch q.Goal {
	case "device":
		if q.NAT == nil {
			on := true
			q.NAT = &on
		}
	case "flow":
		if q.Isolation == "" {
			q.Isolation = "flows"
		}
	case "priorities":
		d.priorities()
	}
}

// priorities sorts both directions by DSCP, and leaves DSCP as it is.
func (d *decoder) priorities() {
	q := &d.queue
	const tins = "diffserv4"
	if q.DiffservEgress == "" {
		q.DiffservEgress = tins
	}
	if d.text("squash_dscp") == "" {
		q.SquashDSCP = false
	}
	if d.text("squash_ingress") == "" {
		q.SquashIngress = false
	}
	switch {
	case q.DiffservIngress != "":
	case q.SquashIngress:
		d.report(Warning, "squash_ingress", "keeps goal priorities from sorting the download", "0, or no such line")
	default:
		q.DiffservIngress = tins
	}
}

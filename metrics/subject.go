// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"sqmd/daemon"
	"sqmd/shaping"
)

// subject is something that has numbers, and the labels that tell it from others
// of its kind.
type subject[T any] struct {
	labels string
	of     T
}

func queues(r daemon.Report) (all []subject[daemon.QueueReport]) {
	for _, q := range r.Queues {
		labels := join(label("device", q.Device), label("queue", q.Queue))
		all = append(all, subject[daemon.QueueReport]{labels, q})
	}
	return all
}

// links are the devices that exist.
func links(r daemon.Report) (all []subject[daemon.LinkReport]) {
	for _, q := range queues(r) {
		if q.of.Link != nil {
			all = append(all, subject[daemon.LinkReport]{q.labels, *q.of.Link})
		}
	}
	return all
}

func directions(r daemon.Report) (all []subject[daemon.DirectionReport]) {
	for _, q := range queues(r) {
		for _, d := range q.of.Directions {
			labels := join(q.labels, label("direction", d.Direction))
			all = append(all, subject[daemon.DirectionReport]{labels, d})
		}
	}
	return all
}

// shapers are the directions that have a qdisc to count.
func shapers(r daemon.Report) (all []subject[shaping.DirectionStatus]) {
	for _, d := range directions(r) {
		if d.of.Qdisc != "" {
			all = append(all, subject[shaping.DirectionStatus]{d.labels, d.of.DirectionStatus})
		}
	}
	return all
}

func tins(r daemon.Report) (all []subject[shaping.TinStatus]) {
	for _, d := range shapers(r) {
		for _, t := range d.of.Tins {
			all = append(all, subject[shaping.TinStatus]{join(d.labels, label("tin", t.Name)), t})
		}
	}
	return all
}

func classes(r daemon.Report) (all []subject[shaping.ClassStatus]) {
	for _, d := range shapers(r) {
		for _, c := range d.of.Classes {
			all = append(all, subject[shaping.ClassStatus]{join(d.labels, label("class", c.Class)), c})
		}
	}
	return all
}

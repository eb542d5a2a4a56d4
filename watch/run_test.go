// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sqmd/tc"
)

// with is l with something changed.
func with(l Link, change func(*Link)) Link {
	change(&l)
	return l
}

func named(index int, name string) Link {
	return Link{Index: index, Name: name, MTU: 1500, Up: true, Carrier: true, OperState: "up"}
}

var (
	lo      = named(1, "lo")
	eth     = named(2, "eth0")
	renamed = with(eth, func(l *Link) { l.Name = "wan" })
	down    = with(eth, func(l *Link) { l.Carrier, l.OperState = false, "down" })
	flapped = with(eth, func(l *Link) { l.CarrierUps, l.CarrierDowns = 1, 1 })
	ppp     = named(7, "pppoe-wan")
	pppNew  = named(9, "pppoe-wan")
)

func appeared(l Link) Event        { return Event{Kind: LinkAppeared, Link: l} }
func changed(before, l Link) Event { return Event{Kind: LinkChanged, Before: before, Link: l} }
func gone(l Link) Event            { return Event{Kind: LinkGone, Before: l, Link: l} }
func resynced(lost bool) Event     { return Event{Kind: Resynced, Lost: lost} }
func interrupted(err error) Event  { return Event{Kind: Interrupted, Err: err} }

func TestEvents(t *testing.T) {
	isNow := func(l Link) Message { return Message{Kind: LinkChanged, Link: l} }
	isGone := func(index int) Message { return Message{Kind: LinkGone, Link: Link{Index: index}} }
	cake := TC{Object: "qdisc", Handle: tc.MakeHandle(0x8001, 0), Parent: tc.Root, Kind: "cake", Port: 4711}

	for _, c := range []struct {
		name  string
		lives []life
		want  []Event
	}{
		{"start", []life{{lists: lists([]Link{eth, lo})}},
			[]Event{appeared(lo), appeared(eth), resynced(false)}},
		{"start without links", []life{{lists: lists(nil)}},
			[]Event{resynced(false)}},
		{"a link appears, changes and goes", []life{{lists: lists(nil), answers: says(isNow(eth), isNow(down), isGone(2))}},
			[]Event{resynced(false), appeared(eth), changed(eth, down), gone(down)}},
		{"several notifications at once", []life{{lists: lists(nil), answers: []answer{{messages: []Message{isNow(eth), isNow(ppp)}}, {}}}},
			[]Event{resynced(false), appeared(eth), appeared(ppp)}},
		{"a rename keeps the index", []life{{lists: lists([]Link{eth}), answers: says(isNow(renamed))}},
			[]Event{appeared(eth), resynced(false), changed(eth, renamed)}},
		{"a flap is seen by its count", []life{{lists: lists([]Link{eth}), answers: says(isNow(flapped))}},
			[]Event{appeared(eth), resynced(false), changed(eth, flapped)}},
		{"the same name with a new index", []life{{lists: lists([]Link{ppp}), answers: says(isGone(7), isNow(pppNew))}},
			[]Event{appeared(ppp), resynced(false), gone(ppp), appeared(pppNew)}},
		{"the same name with a new index, deletion unseen", []life{{lists: lists([]Link{ppp}), answers: says(isNow(pppNew))}},
			[]Event{appeared(ppp), resynced(false), gone(ppp), appeared(pppNew)}},
		{"nothing of interest", []life{{lists: lists([]Link{eth}), answers: says(isNow(eth), isGone(77))}},
			[]Event{appeared(eth), resynced(false)}},
		{"an address", []life{{lists: lists([]Link{eth}), answers: says(Message{Kind: AddressChanged, Ifindex: 2})}},
			[]Event{appeared(eth), resynced(false), {Kind: AddressChanged, Ifindex: 2}}},
		{"traffic control", []life{{lists: lists(nil), answers: says(Message{Kind: TCChanged, Ifindex: 2, TC: cake})}},
			[]Event{resynced(false), {Kind: TCChanged, Ifindex: 2, TC: cake}}},
		{"lost notifications", []life{{
			lists:   lists([]Link{lo, eth, ppp}, []Link{pppNew, down, lo}),
			answers: append([]answer{{err: ErrLost}}, says(isNow(eth))...),
		}},
			[]Event{appeared(lo), appeared(eth), appeared(ppp), resynced(false),
				gone(ppp), changed(eth, down), appeared(pppNew), resynced(true),
				changed(down, eth)}},
		{"names exchanged while notifications were lost", []life{{
			lists:   lists([]Link{named(1, "a"), named(2, "b")}, []Link{named(1, "b"), named(2, "a")}),
			answers: []answer{{err: ErrLost}},
		}},
			[]Event{appeared(named(1, "a")), appeared(named(2, "b")), resynced(false),
				changed(named(1, "a"), named(1, "b")), changed(named(2, "b"), named(2, "a")), resynced(true)}},
		{"a dead socket", []life{{lists: lists([]Link{eth})}, {lists: lists([]Link{down})}},
			[]Event{appeared(eth), resynced(false), interrupted(errDead), changed(eth, down), resynced(true)}},
		{"reopening fails", []life{{lists: lists([]Link{eth})}, {openErr: errNoOpen}, {openErr: errNoOpen}, {lists: lists(nil)}},
			[]Event{appeared(eth), resynced(false), interrupted(errDead), interrupted(errNoOpen), interrupted(errNoOpen), gone(eth), resynced(true)}},
		{"listing fails at the start", []life{{lists: []list{{err: errDead}}}, {lists: lists([]Link{eth})}},
			[]Event{interrupted(errDead), appeared(eth), resynced(false)}},
		{"listing fails after a loss", []life{{lists: append(lists([]Link{eth}), list{err: errClosed}), answers: []answer{{err: ErrLost}}}, {lists: lists([]Link{eth})}},
			[]Event{appeared(eth), resynced(false), interrupted(errClosed), resynced(true)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, play(t, c.lives...).events, cmpopts.EquateErrors()); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
		})
	}
}

func TestPauses(t *testing.T) {
	dead := life{lists: lists(nil)}
	lives := []life{dead}
	for range 7 {
		lives = append(lives, life{lists: lists(nil)}, life{openErr: errNoOpen})
	}
	heard := life{lists: lists(nil), answers: says(Message{Kind: AddressChanged})}
	lives = append(lives, heard, dead, dead)

	want := []time.Duration{100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000,
		100, 200} // after heard
	for i := range want {
		want[i] *= time.Millisecond
	}
	if d := cmp.Diff(want, play(t, lives...).pauses); d != "" {
		t.Errorf("pauses (-want +got):\n%s", d)
	}
}

func TestFirstOpenFails(t *testing.T) {
	err := Run(context.Background(), func() (Source, error) { return nil, errNoOpen }, func(e Event) { t.Errorf("told %v", e.Kind) })
	if !errors.Is(err, errNoOpen) {
		t.Errorf("error %v, want %v", err, errNoOpen)
	}
}

// waiting is a subscription on which nothing ever happens.
type waiting struct {
	closed chan struct{}
	once   sync.Once
}

func (w *waiting) Links() ([]Link, error) { return nil, nil }

func (w *waiting) Receive() ([]Message, error) {
	<-w.closed
	return nil, errClosed
}

func (w *waiting) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Run("while waiting for a notification", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		var told []Event
		err := Run(ctx, onceOpen(&waiting{closed: make(chan struct{})}), func(e Event) {
			told = append(told, e)
			cancel()
		})
		if d := cmp.Diff([]Event{resynced(false)}, told); err != nil || d != "" {
			t.Errorf("error %v, events (-want +got):\n%s", err, d)
		}
	})
	t.Run("while waiting to open again", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		open := onceOpen(&player{life: life{lists: []list{{err: errDead}}}, stage: &stage{t: t}})
		if err := Run(ctx, open, func(Event) { cancel() }); err != nil {
			t.Error(err)
		}
	})
}

// onceOpen gives a source the first time, and then must not be asked.
func onceOpen(source Source) func() (Source, error) {
	return func() (Source, error) {
		if source == nil {
			panic("opened again")
		}
		now := source
		source = nil
		return now, nil
	}
}

// driver is a subscription that has to ask for the speed.
type driver struct {
	*player
	speed int
	asked []string
}

func (d *driver) Speed(name string) int {
	d.asked = append(d.asked, name)
	d.speed++
	return d.speed
}

func TestSpeed(t *testing.T) {
	step := func(l *Link, change func(*Link)) Message {
		change(l)
		return Message{Kind: LinkChanged, Link: *l}
	}
	now := eth
	answers := says(
		step(&now, func(l *Link) { l.MTU = 9000 }),
		step(&now, func(l *Link) { l.OperState = "dormant" }),
		step(&now, func(l *Link) { l.Carrier = false }),
		step(&now, func(l *Link) { l.Carrier = true; l.CarrierUps++ }),
		step(&now, func(l *Link) { l.CarrierUps++; l.CarrierDowns++ }),
		step(&now, func(l *Link) { l.Name = "wan" }),
		step(&now, func(l *Link) { l.Alias = "to the modem" }),
	)
	ctx, cancel := context.WithCancel(context.Background())
	d := &driver{player: &player{life: life{lists: lists([]Link{eth}), answers: answers}, stage: &stage{t: t, cancel: cancel}}}
	var speeds []int
	err := Run(ctx, onceOpen(d), func(e Event) {
		if e.Kind != Resynced {
			speeds = append(speeds, e.Link.SpeedMbit)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{1, 1, 2, 3, 4, 5, 6, 6}, speeds); d != "" {
		t.Errorf("speeds (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"eth0", "eth0", "eth0", "eth0", "eth0", "wan"}, d.asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
}

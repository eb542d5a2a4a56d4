// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"sqmd/ubus"
)

// How often ubusd is looked for while there is none.
const (
	busRetryFirst = 250 * time.Millisecond
	busRetryLast  = 30 * time.Second
)

// busPatience bounds one question to the bus; netifd answers in milliseconds.
const busPatience = 5 * time.Second

// objectName is what the daemon is called on the bus.
const objectName = "sqmd"

// bus is the daemon's end of ubus. It lives as long as the daemon, whether there
// is a ubusd or not.
type bus struct {
	path     string
	ask      asker
	answers  chan<- answer
	presence chan<- presence

	wake   chan struct{} // has a token while names are to be asked about
	client atomic.Pointer[ubus.Client]

	mu    sync.Mutex
	names []string
}

// presence tells the loop that the bus is there, or what is wrong with it.
type presence struct {
	err error
}

// connected reports whether the bus is there now.
func (b *bus) connected() bool {
	client := b.client.Load()
	return client != nil && client.Connected()
}

// asker hands a request to the loop and waits for its answer.
type asker func(ctx context.Context, method string, arguments []byte) (any, error)

func newBus(path string, ask asker, answers chan<- answer, told chan<- presence) *bus {
	return &bus{path: path, ask: ask, answers: answers, presence: told, wake: make(chan struct{}, 1)}
}

// resolve has the bus asked about networks, soon. It does not wait.
func (b *bus) resolve(names []string) {
	b.mu.Lock()
	b.names = names
	b.mu.Unlock()
	b.hurry()
}

func (b *bus) hurry() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// run connects as soon as there is a ubusd, and serves until ctx ends. The client
// sees to later losses itself.
func (b *bus) run(ctx context.Context) {
	delay := busRetryFirst
	for ctx.Err() == nil {
		err := b.serve(ctx)
		if ctx.Err() != nil {
			return
		}
		if !errors.Is(err, ubus.ErrNoBus) {
			b.tell(ctx, presence{err})
		}
		b.answerAll(ctx, err)
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
		delay = min(2*delay, busRetryLast)
	}
}

// serve returns only with an error.
func (b *bus) serve(ctx context.Context) error {
	client, err := ubus.Dial(ctx, b.path)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Listen(ctx, "network.interface", func(ctx context.Context, e ubus.Event) { b.heard(ctx, e) }); err != nil {
		return err
	}
	delay, claim := busRetryFirst, (<-chan time.Time)(nil)
	if err := client.AddObject(ctx, b.object()); errors.Is(err, ubus.StatusInvalidArgument) {
		b.tell(ctx, presence{err}) // another has the name; networks can be resolved all the same
		claim = time.After(delay)
	} else if err != nil {
		return err
	}
	b.client.Store(client)
	defer b.client.Store(nil)
	b.tell(ctx, presence{})
	b.hurry()
	for {
		select {
		case <-b.wake:
			b.resolveAll(ctx, client)
			b.listAll(ctx, client)
		case <-claim: // who has the name may be a daemon that is just ending
			claim = nil
			if err := client.AddObject(ctx, b.object()); err == nil {
				b.tell(ctx, presence{})
			} else {
				delay = min(2*delay, busRetryLast)
				claim = time.After(delay)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// heard takes in what netifd says about some network, or that the bus was away.
func (b *bus) heard(ctx context.Context, e ubus.Event) {
	if e.Missed {
		b.tell(ctx, presence{})
	}
	b.hurry()
}

// object is what `ubus -v list sqmd` shows.
func (b *bus) object() ubus.Object {
	o := ubus.Object{Path: objectName}
	for _, name := range methods {
		o.Methods = append(o.Methods, ubus.Method{Name: name, Args: argumentTypes[name], Handle: b.handle})
	}
	return o
}

func (b *bus) handle(ctx context.Context, r ubus.Request) (ubus.Table, error) {
	arguments, err := json.Marshal(r.Args)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", err, ubus.StatusInvalidArgument)
	}
	reply, err := b.ask(ctx, r.Method, arguments)
	if err != nil {
		return nil, err
	}
	return ubus.TableOf(reply)
}

func (b *bus) resolveAll(ctx context.Context, client *ubus.Client) {
	for _, name := range b.wanted() {
		patience, cancel := context.WithTimeout(ctx, busPatience)
		device, err := client.ResolveDevice(patience, name)
		cancel()
		b.answer(ctx, answer{network: name, resolution: resolution{device: device, err: err}})
	}
}

// listAll tells of all networks, for who is to choose one. Without an answer what
// was told before holds.
func (b *bus) listAll(ctx context.Context, client *ubus.Client) {
	patience, cancel := context.WithTimeout(ctx, busPatience)
	defer cancel()
	if all, err := client.Networks(patience); err == nil {
		b.answer(ctx, answer{all: all})
	}
}

// answerAll answers all that was asked with why there is no answer.
func (b *bus) answerAll(ctx context.Context, err error) {
	for _, name := range b.wanted() {
		b.answer(ctx, answer{network: name, resolution: resolution{err: err}})
	}
}

func (b *bus) wanted() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.names
}

func (b *bus) answer(ctx context.Context, a answer) {
	select {
	case b.answers <- a:
	case <-ctx.Done():
	}
}

func (b *bus) tell(ctx context.Context, p presence) {
	select {
	case b.presence <- p:
	case <-ctx.Done():
	}
}

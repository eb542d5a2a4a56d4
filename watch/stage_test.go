// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	errDead   = errors.New("socket died")
	errNoOpen = errors.New("too many open files")
	errClosed = errors.New("closed")
)

// life is what happens to one subscription: each call of Links answers with the
// next list, each call of Receive with the next answer.
type life struct {
	openErr error
	lists   []list
	answers []answer
}

type list struct {
	links []Link
	err   error
}

type answer struct {
	messages []Message
	err      error
}

// stage plays lives one after the other. When there is nothing left to play it
// ends the watcher's context.
type stage struct {
	t      *testing.T
	cancel context.CancelFunc
	lives  []life
	living atomic.Int32
	pauses []time.Duration
	events []Event
}

func (s *stage) open() (Source, error) {
	if len(s.lives) == 0 {
		s.cancel()
		return nil, errNoOpen
	}
	now := s.lives[0]
	s.lives = s.lives[1:]
	if now.openErr != nil {
		return nil, now.openErr
	}
	if s.living.Add(1) > 1 {
		s.t.Error("opened a subscription beside a living one")
	}
	return &player{life: now, stage: s}, nil
}

// player is one subscription on the stage.
type player struct {
	life
	stage *stage
	once  sync.Once
}

func (p *player) Links() ([]Link, error) {
	if len(p.lists) == 0 {
		p.stage.t.Fatal("links listed once too often")
	}
	now := p.lists[0]
	p.lists = p.lists[1:]
	return now.links, now.err
}

func (p *player) Receive() ([]Message, error) {
	if len(p.answers) == 0 {
		if len(p.stage.lives) > 0 {
			return nil, errDead
		}
		p.stage.cancel()
		return nil, errClosed
	}
	now := p.answers[0]
	p.answers = p.answers[1:]
	return now.messages, now.err
}

func (p *player) Close() error {
	p.once.Do(func() { p.stage.living.Add(-1) })
	return nil
}

// play runs a watcher through the lives. A life that has run out of answers dies
// when there is another one after it.
func play(t *testing.T, lives ...life) *stage {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &stage{t: t, cancel: cancel, lives: lives}
	w := watcher{
		open:  s.open,
		emit:  func(e Event) { s.events = append(s.events, e) },
		pause: func(_ context.Context, d time.Duration) { s.pauses = append(s.pauses, d) },
	}
	if err := w.run(ctx); err != nil {
		t.Fatal(err)
	}
	if n := s.living.Load(); n != 0 {
		t.Errorf("%d subscriptions were left open", n)
	}
	return s
}

// says are answers of one message each.
func says(messages ...Message) []answer {
	var all []answer
	for _, m := range messages {
		all = append(all, answer{messages: []Message{m}})
	}
	return all
}

func lists(all ...[]Link) []list {
	var answers []list
	for _, links := range all {
		answers = append(answers, list{links: links})
	}
	return answers
}

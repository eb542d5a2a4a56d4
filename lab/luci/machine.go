// SPDX-License-Identifier: GPL-2.0-or-later

package luci

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"sqmd/lab"
	"sqmd/lab/luci/wire"
)

// Machine is a guest in which a router runs.
type Machine struct {
	*wire.Client
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // why it ended, once ended is closed
}

// bootPatience bounds the start of the guest and of the router in it.
const bootPatience = 5 * time.Minute

// StartMachine starts a guest whose command serves package wire on its standard input and output, and waits until that
// answers. The guest lives until ctx ends or Close is called, at most for its Timeout. What the guest's command says on
// standard error is part of the error, if it fails.
func StartMachine(ctx context.Context, g lab.Guest) (*Machine, error) {
	calls, toGuest, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe to the guest: %w", err)
	}
	answers, fromGuest := io.Pipe()
	said := &tail{}
	if g.Stderr != nil {
		g.Stderr = io.MultiWriter(said, g.Stderr)
	} else {
		g.Stderr = said
	}
	g.Stdin, g.Stdout = calls, fromGuest
	ctx, cancel := context.WithCancel(ctx)
	m := &Machine{Client: wire.NewClient(toGuest, answers), cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(m.ended)
		result, err := lab.Run(ctx, g)
		if err == nil {
			err = fmt.Errorf("the router ended with code %d: %s", result.ExitCode, said)
		}
		m.err = err
		fromGuest.Close()
		calls.Close()
		toGuest.Close()
	}()
	ready, done := context.WithTimeout(ctx, bootPatience)
	defer done()
	if err := m.Control(ready, "run", map[string]any{"Line": "true"}, nil); err != nil {
		cancel()
		<-m.ended
		return nil, errors.Join(fmt.Errorf("start the router: %w", err), m.err)
	}
	return m, nil
}

// Ended is closed when the guest is gone.
func (m *Machine) Ended() <-chan struct{} { return m.ended }

// Close ends the guest.
func (m *Machine) Close() {
	m.cancel()
	<-m.ended
}

// Control calls a method of the router's object for tests, and reads the reply into reply if that is not nil.
func (m *Machine) Control(ctx context.Context, method string, args map[string]any, reply any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := m.Call(ctx, wire.Call{Object: "lab", Method: method, Args: text})
	if err == nil && answer.Code != 0 {
		err = fmt.Errorf("%s: code %d: %s", method, answer.Code, answer.Reply)
	}
	if err != nil || reply == nil {
		return err
	}
	return json.Unmarshal(answer.Reply, reply)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}

// SPDX-License-Identifier: GPL-2.0-or-later

package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// connect makes a client of a server that answers with answer; end is its end.
func connect(t *testing.T, answer func(Call) Answer) (client *Client, end func()) {
	t.Helper()
	calls, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	go func() {
		_ = Serve(calls, toClient, answer)
		toClient.Close()
	}()
	t.Cleanup(func() { toServer.Close() })
	return NewClient(toServer, answers), func() { toServer.Close() }
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestCallsAreAnsweredInAnyOrder(t *testing.T) {
	var together sync.WaitGroup
	together.Add(3)
	client, _ := connect(t, func(c Call) Answer {
		together.Done()
		together.Wait() // none is answered before all are asked
		return Answer{Code: len(c.Method), Reply: c.Args}
	})
	var all sync.WaitGroup
	for _, method := range []string{"a", "bb", "ccc"} {
		all.Add(1)
		go func() {
			defer all.Done()
			want := Answer{Code: len(method), Reply: json.RawMessage(fmt.Sprintf(`{"of":"%s\n"}`, method))}
			got, err := client.Call(within(t), Call{Object: "o", Method: method, Args: want.Reply})
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", method, err, diff)
			}
		}()
	}
	all.Wait()
}

func TestLongLines(t *testing.T) {
	client, _ := connect(t, func(c Call) Answer { return Answer{Reply: c.Args} })
	args := json.RawMessage(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`)
	got, err := client.Call(within(t), Call{Args: args})
	if err != nil || string(got.Reply) != string(args) {
		t.Errorf("%v, %d bytes came back", err, len(got.Reply))
	}
}

func TestNoiseIsDropped(t *testing.T) {
	var answers strings.Builder
	err := Serve(strings.NewReader("\x00noise\n{\"id\":7,\"object\":\"o\",\"method\":\"m\"}\n{\"id\":"), &answers, func(Call) Answer { return Answer{Code: 4} })
	if err != nil || answers.String() != "{\"id\":7,\"code\":4}\n" {
		t.Errorf("%v, answers %q", err, answers.String())
	}
}

func TestTheOtherEndGoes(t *testing.T) {
	client, end := connect(t, func(Call) Answer { return Answer{} })
	if _, err := client.Call(within(t), Call{}); err != nil {
		t.Fatal(err)
	}
	end()
	for range 2 {
		if _, err := client.Call(within(t), Call{}); err == nil {
			t.Error("a call to nobody is answered")
		}
	}
	hung := make(chan struct{})
	defer close(hung)
	client, _ = connect(t, func(Call) Answer { <-hung; return Answer{} })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := client.Call(ctx, Call{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that is not answered in time: %v", err)
	}
}

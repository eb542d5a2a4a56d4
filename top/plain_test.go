// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/daemon"
)

func TestPlain(t *testing.T) {
	var got strings.Builder
	for _, test := range pictures {
		got.WriteString(test.name + ":\n" + paint(test.report, test.failure).plain(noon) + "\n")
	}
	compare(t, "plain", got.String())
}

// rounds runs without a terminal and returns the lines, without their times.
func rounds(t *testing.T, ctx context.Context, count int, fetch func(round int) (daemon.Report, error)) ([]string, error) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	round := 0
	failure := Run(ctx, Options{In: out, Out: out, Interval: time.Millisecond, Count: count, Fetch: func(context.Context) (daemon.Report, error) {
		round++
		return fetch(round)
	}})
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		_, rest, _ := strings.Cut(l, " ")
		lines = append(lines, rest)
	}
	return lines, failure
}

func TestRoundsWithAFailure(t *testing.T) {
	got, err := rounds(t, context.Background(), 3, func(round int) (daemon.Report, error) {
		if round == 2 {
			return daemon.Report{}, errors.New("no daemon is running")
		}
		return daemon.Report{}, nil
	})
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"no queue is enabled", "no report: no daemon is running", "no queue is enabled"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFirstRoundFails(t *testing.T) {
	failure := errors.New("no daemon is running")
	got, err := rounds(t, context.Background(), 3, func(int) (daemon.Report, error) { return daemon.Report{}, failure })
	if err != failure {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{""}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRoundsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	got, err := rounds(t, ctx, 0, func(round int) (daemon.Report, error) {
		if round == 5 {
			cancel()
		}
		return daemon.Report{}, ctx.Err()
	})
	if err != nil || len(got) != 4 {
		t.Errorf("%d lines, %v", len(got), err)
	}
}

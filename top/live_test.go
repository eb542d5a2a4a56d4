// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"sqmd/daemon"
)

// screen is what a terminal of so many columns shows after the output, of which
// it knows the sequences that the table is drawn with. It is nil after a line
// that is too long.
func screen(output string, columns int) []string {
	var rows [][]rune
	row, column := 0, 0
	at := func() []rune {
		for len(rows) <= row {
			rows = append(rows, []rune(strings.Repeat(" ", columns)))
		}
		return rows[row]
	}
	for len(output) > 0 {
		sequence, rest := "", ""
		for _, s := range []string{enterScreen, leaveScreen, home, eraseLine, eraseBelow, "\r", "\n"} {
			if after, found := strings.CutPrefix(output, s); found {
				sequence, rest = s, after
			}
		}
		switch sequence {
		case "":
			c := []rune(output)[0]
			if !plainRune(c) || column >= columns {
				return nil
			}
			at()[column] = c
			column, rest = column+1, output[len(string(c)):]
		case home:
			row, column = 0, 0
		case "\r":
			column = 0
		case "\n":
			row++
		case eraseLine:
			copy(at()[column:], []rune(strings.Repeat(" ", columns)))
		case eraseBelow:
			rows = rows[:min(row, len(rows))]
		}
		output = rest
	}
	var lines []string
	for _, r := range rows {
		lines = append(lines, strings.TrimRight(string(r), " "))
	}
	return lines
}

// start runs the table on a terminal.
func start(p *pty, ctx context.Context, fetch func(context.Context) (daemon.Report, error)) <-chan error {
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{In: p.slave, Out: p.slave, Fetch: fetch, Interval: 20 * time.Millisecond})
	}()
	return done
}

func ended(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the table does not end")
		return nil
	}
}

func fetchSample(context.Context) (daemon.Report, error) { return sample(10), nil }

func shown(output string) bool { return strings.Contains(output, "download") }

// TestTable quits in every way there is, and finds the terminal as it was.
func TestTable(t *testing.T) {
	send := func(s unix.Signal) func(*pty, func()) {
		return func(p *pty, _ func()) {
			if err := unix.Kill(os.Getpid(), s); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name string
		quit func(p *pty, cancel func())
	}{
		{"q", func(p *pty, _ func()) { p.press("q") }},
		{"Q among others", func(p *pty, _ func()) { p.press("\x1b[A xQ\r") }},
		{"ctrl-c", func(p *pty, _ func()) { p.press("\x03") }},
		{"SIGTERM", send(unix.SIGTERM)},
		{"SIGINT", send(unix.SIGINT)},
		{"SIGHUP", send(unix.SIGHUP)},
		{"context", func(_ *pty, cancel func()) { cancel() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPTY(t, 80, 24)
			before := goroutines()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := start(p, ctx, fetchSample)
			p.await("the table", shown)
			if raw := p.termios(); raw.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) != 0 {
				t.Error("keys are echoed")
			}
			p.press("x")
			test.quit(p, cancel)
			if err := ended(t, done); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(p.before, p.termios()); diff != "" {
				t.Error(diff)
			}
			p.await("the old screen", func(output string) bool { return strings.HasSuffix(output, leaveScreen) })
			if !strings.HasPrefix(p.written(), enterScreen) {
				t.Errorf("it begins with %.20q", p.written())
			}
			settle(t, before)
		})
	}
}

// goroutines counts them, with the one that os/signal starts and keeps.
func goroutines() int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, unix.SIGWINCH)
	signal.Stop(c)
	return runtime.NumGoroutine()
}

// settle waits until there are no more goroutines than before.
func settle(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestResize looks at the screen in three sizes, the last of which the terminal
// does not tell.
func TestResize(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	p := newPTY(t, 80, 24)
	done := start(p, context.Background(), fetchSample)
	for _, size := range [][4]int{{80, 24, 80, 24}, {132, 10, 132, 10}, {40, 50, 40, 50}, {0, 0, 80, 24}} {
		p.resize(uint16(size[0]), uint16(size[1]))
		from := len(p.written())
		if err := unix.Kill(os.Getpid(), unix.SIGWINCH); err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, l := range paintSteady().frame(size[2], size[3]) {
			want.WriteString(strings.TrimRight(l.text(false), " ") + "\n")
		}
		p.await(fmt.Sprint(size), func(output string) bool {
			frames := strings.Split(output[from:], home)
			for _, frame := range frames[min(1, len(frames)-1) : len(frames)-1] { // the whole ones
				if strings.Join(screen(frame, size[2]), "\n")+"\n" == want.String() {
					return true
				}
			}
			return false
		})
	}
	p.press("q")
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
}

// paintSteady is the picture of a report that does not change.
func paintSteady() *picture {
	return paint(func(uint64) daemon.Report { return sample(10) }, nil)
}

// TestRedraw draws a smaller table over a larger one: nothing of it stays.
func TestRedraw(t *testing.T) {
	large, small := paint(sample, nil), paint(with(func(r *daemon.Report) { r.Queues = nil }), nil)
	output := screenful(large.frame(80, 24), 80, 24, false) + screenful(small.frame(80, 24), 80, 24, false)
	if diff := cmp.Diff([]string{"sqmd 1.2.3  up 1d02h  ubus  7.3MB  repairs 2", "no queue is enabled"}, screen(output, 80)); diff != "" {
		t.Error(diff)
	}
}

func TestColoursOnTheTerminal(t *testing.T) {
	for _, test := range []struct {
		noColor  string
		coloured bool
	}{{"", true}, {"1", false}} {
		t.Setenv("NO_COLOR", test.noColor)
		p := newPTY(t, 80, 24)
		done := start(p, context.Background(), fetchSample)
		p.await("the table", shown)
		p.press("q")
		if err := ended(t, done); err != nil {
			t.Error(err)
		}
		if got := sgr.MatchString(p.written()); got != test.coloured {
			t.Errorf("NO_COLOR=%q: coloured is %v", test.noColor, got)
		}
	}
}

// TestFailureInTheTable shows an error, and the table as soon as there is one.
func TestFailureInTheTable(t *testing.T) {
	p := newPTY(t, 80, 24)
	var running atomic.Bool
	done := start(p, context.Background(), func(context.Context) (daemon.Report, error) {
		if !running.Load() {
			return daemon.Report{}, errors.New("no daemon is running")
		}
		return sample(10), nil
	})
	p.await("the error", func(output string) bool { return strings.Contains(output, "no report: no daemon is running") })
	running.Store(true)
	p.await("the table", shown)
	running.Store(false)
	p.await("the second error", func(output string) bool { return strings.Contains(output, "old figures: no daemon is running") })
	p.press("q")
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
}

// TestQuitWhileFetching quits although no report comes.
func TestQuitWhileFetching(t *testing.T) {
	p := newPTY(t, 80, 24)
	before := goroutines()
	done := start(p, context.Background(), func(ctx context.Context) (daemon.Report, error) {
		<-ctx.Done()
		return daemon.Report{}, ctx.Err()
	})
	p.await("the wait", func(output string) bool { return strings.Contains(output, "waiting for the first report") })
	p.press("q")
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
	settle(t, before)
}

// TestOutputFails has the output go away: the settings of the input are restored.
func TestOutputFails(t *testing.T) {
	in, out := newPTY(t, 80, 24), newPTY(t, 80, 24)
	done := make(chan error, 1)
	go func() {
		done <- Run(context.Background(), Options{In: in.slave, Out: out.slave, Fetch: fetchSample, Interval: 20 * time.Millisecond})
	}()
	out.await("the table", shown)
	out.master.Close()
	if err := ended(t, done); !errors.Is(err, unix.EIO) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(in.before, in.termios()); diff != "" {
		t.Error(diff)
	}
}

// TestHangUp has the terminal go away.
func TestHangUp(t *testing.T) {
	in, out := newPTY(t, 80, 24), newPTY(t, 80, 24)
	done := make(chan error, 1)
	go func() {
		done <- Run(context.Background(), Options{In: in.slave, Out: out.slave, Fetch: fetchSample, Interval: 20 * time.Millisecond})
	}()
	out.await("the table", shown)
	in.master.Close()
	if err := ended(t, done); err == nil {
		t.Error("the settings of a terminal that is gone were restored")
	}
}

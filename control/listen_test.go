// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	r := serve(t, echo)
	for path, want := range map[string]fs.FileMode{
		r.path:               fs.ModeSocket | 0o600,
		filepath.Dir(r.path): fs.ModeDir | 0o700,
	} {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("mode of %s is %v, want %v", path, info.Mode(), want)
		}
	}
}

// TestModeFromTheFirstInstant looks at a socket that was bound and nothing else.
func TestModeFromTheFirstInstant(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	path := filepath.Join(t.TempDir(), "s")
	fd, err := bind(path)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestSecondServer(t *testing.T) {
	r := serve(t, echo)
	if _, err := Listen(r.path); !errors.Is(err, ErrRunning) {
		t.Errorf("got %v", err)
	}
	if err := Call(testContext(t), r.path, "echo", nil, nil); err != nil {
		t.Errorf("the first server: %v", err)
	}
}

// TestBusyServer fills the queue of a server that does not accept.
func TestBusyServer(t *testing.T) {
	s := mustListen(t, filepath.Join(t.TempDir(), "s"))
	for {
		fd, err := connect(s.path)
		if err == syscall.EAGAIN {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(fd)
	}
	if _, err := Listen(s.path); !errors.Is(err, ErrRunning) {
		t.Errorf("got %v", err)
	}
}

func TestStaleSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	stale(t, path)
	s := mustListen(t, path)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// stale leaves a socket at path as a crashed daemon does.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

// TestStartTogether has many daemons start over one stale socket: one wins.
func TestStartTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	for range 20 {
		stale(t, path)
		type result struct {
			s   *Server
			err error
		}
		results := make(chan result)
		for range 8 {
			go func() {
				s, err := Listen(path)
				results <- result{s, err}
			}()
		}
		var winners []*Server
		for range 8 {
			r := receive(t, results)
			if r.err == nil {
				winners = append(winners, r.s)
			} else if !errors.Is(r.err, ErrRunning) {
				t.Error(r.err)
			}
		}
		if len(winners) != 1 {
			t.Fatalf("%d servers listen", len(winners))
		}
		winners[0].Close()
	}
}

func TestWhatIsNotASocketStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path); err == nil {
		t.Error("no error")
	}
	if content, err := os.ReadFile(path); string(content) != "precious" {
		t.Errorf("%q %v", content, err)
	}
}

// TestSocketOfAnotherStays puts another's socket in the place of the server's.
func TestSocketOfAnotherStays(t *testing.T) {
	r := serve(t, echo)
	if err := os.Rename(r.path, r.path+".away"); err != nil {
		t.Fatal(err)
	}
	mustListen(t, r.path)
	r.stop()
	r.done <- receive(t, r.done)
	if _, err := os.Lstat(r.path); err != nil {
		t.Errorf("the other's socket: %v", err)
	}
}

func TestPathTooLong(t *testing.T) {
	long := filepath.Join(t.TempDir(), string(make([]byte, 120)))
	if _, err := Listen(long); err == nil {
		t.Error("no error")
	}
}

func TestCloseWithoutServe(t *testing.T) {
	s := mustListen(t, filepath.Join(t.TempDir(), "s"))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(s.path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

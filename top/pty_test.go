// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pty is a pseudo terminal: the test sits at master, the program at slave.
type pty struct {
	t             *testing.T
	master, slave *os.File
	before        unix.Termios

	mutex  sync.Mutex
	output bytes.Buffer
}

func newPTY(t *testing.T, columns, rows uint16) *pty {
	t.Helper()
	// Not blocking, so that Close ends a Read.
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	p := &pty{t: t, master: os.NewFile(uintptr(fd), "/dev/ptmx")}
	t.Cleanup(func() { p.master.Close() })
	if p.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.slave.Close() })
	p.resize(columns, rows)
	p.before = p.termios()
	go p.record()
	return p
}

// record keeps what the program writes.
func (p *pty) record() {
	buffer := make([]byte, 4096)
	for {
		n, err := p.master.Read(buffer)
		p.mutex.Lock()
		p.output.Write(buffer[:n])
		p.mutex.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *pty) written() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.output.String()
}

func (p *pty) resize(columns, rows uint16) {
	p.t.Helper()
	if err := unix.IoctlSetWinsize(int(p.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pty) termios() unix.Termios {
	p.t.Helper()
	settings, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return *settings
}

func (p *pty) press(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// await waits until what was written is as wished.
func (p *pty) await(what string, wished func(output string) bool) {
	p.t.Helper()
	for range 1000 {
		if wished(p.written()) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.t.Fatalf("%s did not come: %q", what, p.written())
}

// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// procFile is a file of proc(5) that is read each second: it stays open, and no
// reading allocates memory. The system calls are raw, because the scheduler would
// wake its watchdog thread for others (see [sqmd/daemon]), and these do not wait.
type procFile struct {
	path  string
	file  *os.File
	tried bool
}

// read fills buffer with the beginning of the file, as much as there is; nothing
// where there is no such file.
func (p *procFile) read(buffer []byte) []byte {
	if !p.tried {
		p.tried = true
		p.file, _ = os.Open(p.path)
	}
	if p.file == nil {
		return nil
	}
	fd := p.file.Fd()
	if _, _, errno := unix.RawSyscall(unix.SYS_LSEEK, fd, 0, unix.SEEK_SET); errno != 0 {
		return nil
	}
	n := 0
	for n < len(buffer) {
		got, _, errno := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&buffer[n])), uintptr(len(buffer)-n))
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 || got == 0 {
			break
		}
		n += int(got)
	}
	return buffer[:n]
}

// line cuts the first line off text. One without an end is none: what fits the
// buffer may end in the middle of a number.
func line(text []byte) (first, rest []byte, ok bool) {
	for i, c := range text {
		if c == '\n' {
			return text[:i], text[i+1:], true
		}
	}
	return nil, nil, false
}

// number cuts blanks and a decimal number off text; more than 64 bits wrap around.
func number(text []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for i < len(text) && text[i] == ' ' {
		i++
	}
	for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		n, ok = n*10+uint64(text[i]-'0'), true
	}
	return n, text[i:], ok
}

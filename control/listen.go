// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ErrRunning says that another process answers on the socket.
var ErrRunning = errors.New("another daemon is running")

// Server is the listening end of the socket.
type Server struct {
	path     string
	listener *os.File
	// file is the socket as it was made, by which it is known again.
	file   fs.FileInfo
	closed chan struct{}
	close  func() error
	// idle and write are idleTime and writeTime.
	idle, write time.Duration
}

// Listen makes the socket, with mode 0600 from its first instant, and its
// directory with 0700 if there is none. A socket that a crashed daemon left
// behind is replaced. The error is [ErrRunning] where a daemon answers. Callers
// wait until [Server.Serve] runs.
func Listen(path string) (*Server, error) {
	s, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	return s, nil
}

func listen(path string) (*Server, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	unlock, err := lockDirectory(path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := removeStale(path); err != nil {
		return nil, err
	}
	fd, err := bind(path)
	if err != nil {
		return nil, err
	}
	s := &Server{path: path, listener: os.NewFile(uintptr(fd), path), closed: make(chan struct{}), idle: idleTime, write: writeTime}
	s.close = sync.OnceValue(s.stop)
	if s.file, err = os.Lstat(path); err != nil {
		s.listener.Close()
		return nil, err
	}
	return s, nil
}

// lockDirectory keeps two daemons that start together from taking each other's
// new socket for a stale one.
func lockDirectory(path string) (unlock func(), err error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(dir.Fd()), unix.LOCK_EX)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		dir.Close()
		return nil, fmt.Errorf("lock %s: %w", dir.Name(), err)
	}
	return func() { dir.Close() }, nil
}

// removeStale removes a socket on which nobody listens, and nothing else.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("something that is not a socket is there, remove it")
	}
	fd, err := connect(path)
	switch err {
	case nil:
		unix.Close(fd)
		return ErrRunning
	case unix.EAGAIN: // it listens and has a queue
		return ErrRunning
	case unix.ECONNREFUSED:
		return os.Remove(path)
	}
	return err
}

// bind opens the listening socket. It does without package net, whose resolver
// the router has no use for.
func bind(path string) (fd int, err error) {
	fd, err = open()
	if err != nil {
		return -1, err
	}
	// The mode of an unbound socket is that of the file which bind makes of it.
	if err = unix.Fchmod(fd, 0o600); err == nil {
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	}
	if err == nil {
		err = unix.Listen(fd, maxConnections)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// open makes a socket that the Go runtime can poll.
func open() (fd int, err error) {
	return unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
}

// connect returns the plain errno of a failure: EAGAIN where the queue of the
// listener is full.
func connect(path string) (fd int, err error) {
	fd, err = open()
	if err != nil {
		return -1, err
	}
	for {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// Close stops listening and removes the socket, unless it is another's by now.
// [Server.Serve] closes when it returns.
func (s *Server) Close() error { return s.close() }

func (s *Server) stop() error {
	close(s.closed)
	s.listener.Close()
	if err := s.remove(); err != nil {
		return fmt.Errorf("remove the socket: %w", err)
	}
	return nil
}

func (s *Server) remove() error {
	unlock, err := lockDirectory(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	info, err := os.Lstat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, s.file) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Remove(s.path)
}

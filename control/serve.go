// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Handler answers one request, from several goroutines at once. args is an
// object, of which nothing is known: the handler validates it, and knows the
// methods. The error's text is what the caller sees. ctx ends with the server.
type Handler func(ctx context.Context, method string, args json.RawMessage) (reply any, err error)

// acceptPause is the wait after an accept that failed, for want of descriptors
// as a rule.
const acceptPause = 100 * time.Millisecond

// Serve answers until ctx ends. Then it closes all connections, also those whose
// request is being handled, waits for the handlers, removes the socket and
// returns nil.
func (s *Server) Serve(ctx context.Context, handle Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	var connections sync.WaitGroup
	defer connections.Wait()
	defer cancel()
	context.AfterFunc(ctx, func() { s.Close() })
	slots := make(chan struct{}, maxConnections)
	for {
		conn, err := s.accept()
		select {
		case <-s.closed:
			if err == nil {
				conn.Close()
			}
			return s.Close()
		default:
		}
		if err != nil {
			sleep(ctx, acceptPause)
			continue
		}
		select {
		case slots <- struct{}{}:
			connections.Add(1)
			go func() {
				defer connections.Done()
				s.converse(ctx, conn, handle)
				<-slots
			}()
		default:
			s.refuse(conn)
		}
	}
}

// accept waits for the next connection, or for Close.
func (s *Server) accept() (*os.File, error) {
	raw, err := s.listener.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var failure error
	err = raw.Read(func(listener uintptr) bool {
		fd, _, failure = unix.Accept4(int(listener), unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
		return failure != unix.EAGAIN
	})
	if err == nil {
		err = failure
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), s.path), nil
}

// refuse tells a connection that there are too many. A new connection has room
// for this line, so that nothing waits here.
func (s *Server) refuse(conn *os.File) {
	s.send(conn, formatError(fmt.Errorf("more than %d connections, try again", maxConnections)))
	conn.Close()
}

// converse answers the requests of one connection until one of both ends it.
func (s *Server) converse(ctx context.Context, conn *os.File, handle Handler) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	in := bufio.NewReader(conn)
	for {
		conn.SetReadDeadline(time.Now().Add(s.idle))
		line, err := readLine(in, maxRequest)
		if err == errTooLong {
			s.send(conn, formatError(fmt.Errorf("request is longer than %d bytes", maxRequest)))
		}
		if err != nil {
			return
		}
		if err := s.send(conn, s.answer(ctx, line, handle)); err != nil {
			return
		}
	}
}

func (s *Server) answer(ctx context.Context, line []byte, handle Handler) []byte {
	r, err := parseRequest(line)
	if err != nil {
		return formatError(err)
	}
	return formatReply(handle(ctx, r.Method, r.Args))
}

func (s *Server) send(conn *os.File, line []byte) error {
	conn.SetWriteDeadline(time.Now().Add(s.write))
	_, err := conn.Write(line)
	return err
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

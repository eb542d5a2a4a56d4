// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"bufio"
	"net"
	"os/user"
	"strconv"
	"syscall"
)

// maxQueued bounds what waits for a client that does not read, in bytes. Who exceeds it is disconnected.
const maxQueued = 4 * maxBody

// client is somebody connected.
type client struct {
	id          uint32
	conn        net.Conn
	user, group string
	gone        chan struct{}
	ready       chan struct{} // has a token while something is queued

	// Both need the lock of the server.
	queue  [][]byte
	queued int
}

// welcome takes in a new client, or closes the connection.
func (s *Server) welcome(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.clients) == maxClients {
		conn.Close()
		return
	}
	c := &client{id: s.newID(), conn: conn, gone: make(chan struct{}), ready: make(chan struct{}, 1)}
	c.user, c.group = account(conn)
	s.clients[c.id] = c
	s.all.Add(2)
	go s.read(c)
	go s.write(c)
	if !s.spoil(c, Hello) {
		c.send(frame{kind: Hello, peer: c.id})
	}
}

func (s *Server) read(c *client) {
	defer s.all.Done()
	r := bufio.NewReader(c.conn)
	for {
		f, err := readFrame(r)
		if err == nil {
			err = s.receive(c, f)
		}
		if err != nil {
			break
		}
	}
	close(c.gone)
	c.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c.id)
	for _, o := range s.sorted() {
		if o.owner == c {
			s.remove(o)
		}
	}
}

func (s *Server) write(c *client) {
	defer s.all.Done()
	for {
		select {
		case <-c.ready:
		case <-c.gone:
			return
		}
		s.mu.Lock()
		queue := c.queue
		c.queue, c.queued = nil, 0
		s.mu.Unlock()
		for _, b := range queue {
			if _, err := c.conn.Write(b); err != nil {
				c.conn.Close() // ends read, too
				return
			}
		}
	}
}

// send queues f. It needs the lock of the server.
func (c *client) send(f frame) { c.sendBytes(f.bytes()) }

func (c *client) sendBytes(b []byte) {
	if c.queued+len(b) > maxQueued {
		c.conn.Close()
		return
	}
	c.queue, c.queued = append(c.queue, b), c.queued+len(b)
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// account tells the names of the user and group of a client's process, or the numbers where they have none.
func account(conn net.Conn) (userName, groupName string) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return "", ""
	}
	var peer *syscall.Ucred
	_ = raw.Control(func(fd uintptr) { peer, _ = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED) })
	if peer == nil {
		return "", ""
	}
	userName, groupName = strconv.Itoa(int(peer.Uid)), strconv.Itoa(int(peer.Gid))
	if u, err := user.LookupId(userName); err == nil {
		userName = u.Username
	}
	if g, err := user.LookupGroupId(groupName); err == nil {
		groupName = g.Name
	}
	return userName, groupName
}

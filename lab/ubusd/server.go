// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// Bounds of a server, in pieces.
const (
	maxClients = 64
	maxObjects = 1024
	maxCalls   = 64 // of functions of the server's objects at once
)

// Server is a bus. Its methods may be called from several goroutines at once.
type Server struct {
	listener net.Listener
	ctx      context.Context // ends with the server
	cancel   context.CancelFunc
	all      sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	calls    int
	lastID   uint32
	clients  map[uint32]*client
	objects  map[uint32]*object
	networks map[string]string // name to layer-3 device, "" while down
	faults   map[Kind]Fault
}

// Start listens at path, at which there must be nothing yet, until Close.
func Start(path string) (*Server, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("start a bus: %w", err)
	}
	s := &Server{
		listener: listener,
		// As ubusd, so that an id from before a restart means nothing after it.
		lastID:   rand.Uint32(),
		clients:  map[uint32]*client{},
		objects:  map[uint32]*object{},
		networks: map[string]string{},
		faults:   map[Kind]Fault{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.all.Add(1)
	go s.accept()
	return s, nil
}

// Close disconnects everybody, removes the socket and waits for all that the server has started. Functions of its
// objects must return when their context ends.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	err := s.listener.Close()
	for _, c := range s.clients {
		c.conn.Close()
	}
	s.mu.Unlock()
	s.cancel()
	s.all.Wait()
	return err
}

// DropClients disconnects everybody; the server stays.
func (s *Server) DropClients() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients {
		c.conn.Close()
	}
}

// Clients is how many are connected.
func (s *Server) Clients() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients)
}

func (s *Server) accept() {
	defer s.all.Done()
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.welcome(conn)
	}
}

// newID is one that is neither zero nor one of ubusd's own objects. It needs mu.
func (s *Server) newID() uint32 {
	for {
		s.lastID++
		if s.lastID >= firstID && s.clients[s.lastID] == nil && s.objects[s.lastID] == nil {
			return s.lastID
		}
	}
}

// firstID is the first id that is not kept for ubusd itself (UBUS_SYSTEM_OBJECT_MAX).
const firstID = 1024

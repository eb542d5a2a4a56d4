// SPDX-License-Identifier: GPL-2.0-or-later

package procd

import (
	"maps"
	"slices"
	"sync"
	"syscall"

	"sqmd/lab/ubusd"
)

// Supervisor holds the services. Root and Log are set before its first use; its methods may be called from several
// goroutines at once.
type Supervisor struct {
	// Root is put before the names of files, "" for the real root.
	Root string
	// Log writes a line to the system's log; priority is as in "daemon.info", ident the name of who says it.
	Log func(priority, ident, line string)

	mu       sync.Mutex
	services map[string]*service
	triggers []*trigger
	jobs     []job // run one after the other
	working  bool
	running  sync.WaitGroup
}

// service is what one init script has asked for.
type service struct {
	in        *Supervisor
	name      string
	instances map[string]*instance
	triggers  []any
	deleted   bool // it goes when the last instance has ended
}

// Set carries out a request of an init script: the instances it names are started or, if something about them changed,
// restarted. With add others are left, else they are stopped. Triggers are replaced.
func (s *Supervisor) Set(request map[string]any, add bool) ubusd.Status {
	name, given := request["name"].(string)
	if !given {
		return ubusd.InvalidArgument
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.services == nil {
		s.services = map[string]*service{}
	}
	of, known := s.services[name]
	if !known {
		of = &service{in: s, name: name, instances: map[string]*instance{}}
		s.services[name] = of
	}
	of.deleted = false
	s.removeTriggers(of)
	of.triggers, _ = request["triggers"].([]any)
	s.addTriggers(of, of.triggers)
	if asked, given := request["instances"].(map[string]any); given {
		of.update(asked, add)
	}
	if !known {
		s.event("service.start", map[string]any{"service": name})
	}
	return ubusd.OK
}

func (of *service) update(asked map[string]any, add bool) {
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		table, isTable := asked[name].(map[string]any)
		if !isTable {
			continue
		}
		next, err := readSpec(table, of.in.Root)
		if err != nil {
			of.in.Log("daemon.err", "procd", of.name+"::"+name+": "+err.Error())
			continue
		}
		if in, known := of.instances[name]; known {
			in.update(next)
			continue
		}
		in := &instance{name: name, of: of, spec: next}
		of.instances[name] = in
		in.start()
	}
	if add {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(of.instances)) {
		if _, still := asked[name]; !still {
			of.instances[name].stop()
		}
	}
}

// drop forgets an instance, and with the last one a service that was deleted.
func (of *service) drop(in *instance) {
	delete(of.instances, in.name)
	of.leave()
}

func (of *service) leave() {
	if !of.deleted || len(of.instances) > 0 || of.in.services[of.name] != of {
		return
	}
	delete(of.in.services, of.name)
	of.in.removeTriggers(of)
	of.in.event("service.stop", map[string]any{"service": of.name})
}

// Delete stops a service, or one of its instances, and forgets it when its processes have ended, for which it does not
// wait.
func (s *Supervisor) Delete(request map[string]any) ubusd.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, all, status := s.find(request)
	if status != ubusd.OK {
		return status
	}
	if _, one := request["instance"]; !one {
		of.deleted = true
	}
	for _, in := range all {
		in.stop()
	}
	of.leave()
	return ubusd.OK
}

// Signal sends a signal to the processes of a service, SIGHUP unless another is named.
func (s *Supervisor) Signal(request map[string]any) ubusd.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, all, status := s.find(request)
	if status != ubusd.OK {
		return status
	}
	number, given := integer(request["signal"])
	if !given {
		number = int64(syscall.SIGHUP)
	}
	for _, in := range all {
		if in.process == nil || in.process.Process.Signal(syscall.Signal(number)) != nil {
			status = ubusd.NotFound
		}
	}
	return status
}

// find gives the service that a request names and the instances that are meant.
func (s *Supervisor) find(request map[string]any) (*service, []*instance, ubusd.Status) {
	name, _ := request["name"].(string)
	of := s.services[name]
	if of == nil {
		return nil, nil, ubusd.NotFound
	}
	wanted, one := request["instance"].(string)
	if one {
		in := of.instances[wanted]
		if in == nil {
			return nil, nil, ubusd.NotFound
		}
		return of, []*instance{in}, ubusd.OK
	}
	var all []*instance
	for _, name := range slices.Sorted(maps.Keys(of.instances)) {
		all = append(all, of.instances[name])
	}
	return of, all, ubusd.OK
}

// List is the services by name, or the one that the request names.
func (s *Supervisor) List(request map[string]any) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted, one := request["name"].(string)
	list := map[string]any{}
	for name, of := range s.services {
		if one && name != wanted {
			continue
		}
		list[name] = of.table(flag(request["verbose"]))
	}
	return list
}

func (of *service) table(verbose bool) map[string]any {
	t := map[string]any{}
	instances := map[string]any{}
	for name, in := range of.instances {
		instances[name] = in.table()
	}
	if len(instances) > 0 {
		t["instances"] = instances
	}
	if verbose && len(of.triggers) > 0 {
		t["triggers"] = of.triggers
	}
	return t
}

// Close stops all services and waits until their processes have ended.
func (s *Supervisor) Close() {
	s.mu.Lock()
	s.triggers = nil
	for _, of := range s.services {
		of.deleted = true
		for _, in := range of.instances {
			in.stop()
		}
		of.leave()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package shaped_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"sqmd/lab"
	"sqmd/shaping"
	"sqmd/tc"
	"sqmd/uci"
)

// router is the router in a network of one client and one server. Its WAN is eth1.
type router struct {
	*testing.T
	*lab.Network
}

func newRouter(t *testing.T) *router {
	t.Helper()
	network, err := lab.Topology{}.Build()
	for range 2 {
		// Links that come up change what the kernel is about to list.
		if errors.Is(err, netlink.ErrDumpInterrupted) {
			network, err = lab.Topology{}.Build()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := network.Close(); err != nil {
			t.Error(err)
		}
	})
	return &router{t, network}
}

func (r *router) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// within calls f in the router's namespace.
func (r *router) within(f func() error) {
	r.Helper()
	r.must(r.Router.Do(f))
}

// queue is the configuration of one queue on the router's WAN, its options as words such as "upload 2000".
func queue(options ...string) string {
	text := "config queue 'wan'\n\toption enabled '1'\n\toption interface 'eth1'\n"
	for _, o := range options {
		name, value, _ := strings.Cut(o, " ")
		text += fmt.Sprintf("\toption %s '%s'\n", name, value)
	}
	return text
}

// shape shapes the router as sqmd does.
func (r *router) shape(configuration string) {
	r.Helper()
	records := shaping.Records{Dir: r.TempDir()}
	r.within(func() error {
		kernel, err := shaping.OpenKernel()
		if err != nil {
			return err
		}
		defer kernel.Close()
		engine := &shaping.Engine{Kernel: kernel, Records: records}
		config := uci.ParseSQM("sqm", []byte(configuration))
		units, findings, err := engine.Units(config, "")
		if err != nil {
			return err
		}
		if len(units) != 1 || len(config.Findings)+len(findings) > 0 {
			return fmt.Errorf("configuration gives %d units, want 1; %v %v", len(units), config.Findings, findings)
		}
		for _, result := range engine.Apply(units...) {
			if result.Err != nil {
				return result.Err
			}
		}
		return nil
	})
}

// kernel calls f with a connection to the router's traffic control and the indexes of its devices.
func (r *router) kernel(f func(c *tc.Conn, devices devices) error) {
	r.Helper()
	r.within(func() error {
		kernel, err := shaping.OpenKernel()
		if err != nil {
			return err
		}
		defer kernel.Close()
		links, err := kernel.Links()
		if err != nil {
			return err
		}
		found := devices{}
		for _, l := range links {
			found[l.Name] = l.Index
		}
		c, err := tc.Dial()
		if err != nil {
			return err
		}
		defer c.Close()
		return f(c, found)
	})
}

// devices are the indexes of network devices, by name.
type devices map[string]int

func (d devices) Index(name string) int { return d[name] }

func (d devices) Name(index int) string {
	for name, i := range d {
		if i == index {
			return name
		}
	}
	return ""
}

// tool runs a command in the router's namespace and returns what it prints.
func (r *router) tool(words ...string) string {
	r.Helper()
	var text []byte
	r.within(func() error {
		var stderr strings.Builder
		command := exec.Command(words[0], words[1:]...)
		command.Stderr = &stderr
		var err error
		if text, err = command.Output(); err != nil {
			return fmt.Errorf("%s: %w: %s", command, err, stderr.String())
		}
		return nil
	})
	return string(text)
}

// path leads from one host to the other.
type path struct {
	from, to lab.Host
}

func (r *router) upload() path   { return path{r.Clients[0], r.Servers[0]} }
func (r *router) download() path { return path{r.Servers[0], r.Clients[0]} }

// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sqmd/uci"
)

// invariants are the rules for a case whose record is not the target and for which nobody has written down what is:
// exit status 0 only if every direction of an enabled queue that has a rate is shaped at that rate; a queue that is not
// is reported and its device is as it was.
func (c *Case) invariants(o *Observation, observed states) ([]string, error) {
	queues, err := c.askedQueues()
	if err != nil {
		return nil, err
	}
	var differences []string
	complaint := func(format string, args ...any) {
		differences = append(differences, fmt.Sprintf(format, args...))
	}
	for _, device := range devicesOf(queues) {
		why := notShaped(queues, device, observed.afterStart, o)
		if why == "" {
			continue
		}
		if o.Start.Code == 0 {
			complaint("sqmd apply: exit status 0, but %s", why)
		}
		if changes := compare(observed.before[device], observed.afterStart[device]); observed.before[device] != nil && len(changes) > 0 {
			complaint("%s, and %s is not as it was: %s", why, device, changes[0])
		}
	}
	if o.Start.Code != 0 && !slices.ContainsFunc(queues, func(q askedQueue) bool { return q.unmet(observed.afterStart, o) != "" }) {
		complaint("sqmd apply: exit status %d, although all queues are shaped as asked", o.Start.Code)
	}
	if o.Start.Code != 0 && o.Start.Stderr == "" {
		complaint("sqmd apply: no error message")
	}
	return append(differences, strangers(devicesOf(queues), observed)...), nil
}

// strangers says what changed on devices that no enabled queue names: nothing may, but for ifbs in use.
func strangers(named []string, observed states) []string {
	used := observed.afterStart.clone()
	used.dropIdleIFBs()
	var differences []string
	for name := range observed.afterStart {
		isIFB := observed.afterStart.device(name)["kind"] == "ifb"
		switch {
		case isIFB && used[name] == nil:
			differences = append(differences, name+": nothing is redirected to it")
		case isIFB || slices.Contains(named, name):
		default:
			for _, change := range compare(observed.before[name], observed.afterStart[name]) {
				differences = append(differences, name+" is in no enabled queue but changed: "+change)
			}
		}
	}
	slices.Sort(differences)
	return differences
}

// askedQueue is an enabled queue section, as its author may have meant it.
type askedQueue struct {
	device           string
	download, upload askedRate
}

// askedRate is a rate option. Only digits are a rate; anything else can be obeyed by refusing only.
type askedRate struct {
	text string
	kbit uint64
	ok   bool
	free bool // the option string sets another rate
}

func readRate(s uci.Section, name, opts string) askedRate {
	text := lookup(s, name)
	kbit, err := strconv.ParseUint(strings.TrimSpace(text), 10, 40)
	free := slices.Contains(strings.Fields(lookup(s, opts)), "bandwidth")
	return askedRate{text: text, kbit: kbit, ok: err == nil, free: free}
}

func lookup(s uci.Section, name string) string {
	option, _ := s.Lookup(name)
	return option.Text()
}

// askedQueues reads the enabled queues from the configuration.
func (c *Case) askedQueues() ([]askedQueue, error) {
	file, _ := uci.Parse(configFile, c.Config)
	var queues []askedQueue
	var interfaces []string
	for _, s := range file.Sections {
		device := lookup(s, "interface")
		if device != "" && !slices.Contains(interfaces, device) {
			interfaces = append(interfaces, device)
		}
		if s.Type != "queue" || !switchedOn(lookup(s, "enabled")) {
			continue
		}
		queues = append(queues, askedQueue{
			device:   device,
			download: readRate(s, "download", "iqdisc_opts"),
			upload:   readRate(s, "upload", "eqdisc_opts"),
		})
	}
	if !slices.Equal(interfaces, c.Record.Interfaces) {
		return nil, fmt.Errorf("the configuration names interfaces %q, the record has %q", interfaces, c.Record.Interfaces)
	}
	return queues, nil
}

// switchedOn reads a boolean: the words of UCI, and numbers as sqm-scripts compares them.
func switchedOn(text string) bool {
	number, err := strconv.Atoi(text)
	return err == nil && number == 1 || slices.Contains([]string{"on", "true", "yes", "enabled"}, text)
}

// devicesOf lists the devices of queues, each once.
func devicesOf(queues []askedQueue) []string {
	var devices []string
	for _, q := range queues {
		if !slices.Contains(devices, q.device) {
			devices = append(devices, q.device)
		}
	}
	return devices
}

// notShaped says why a device is not shaped as one of its queues asks; "" if it is.
func notShaped(queues []askedQueue, device string, got Tree, o *Observation) string {
	var why string
	for _, q := range queues {
		if q.device != device {
			continue
		}
		if why = q.unmet(got, o); why == "" {
			return ""
		}
	}
	return why
}

// unmet says what of a queue is not in force.
func (q askedQueue) unmet(got Tree, o *Observation) string {
	if got[q.device] == nil {
		return fmt.Sprintf("device %q does not exist", q.device)
	}
	if why := q.upload.unmet(got, q.device, Path{q.device, Egress}, o); why != "" {
		return why
	}
	return q.download.unmet(got, got.redirect(q.device), Path{q.device, Ingress}, o)
}

// unmet says why a direction, whose shaper is on the given device, does not have the rate.
func (r askedRate) unmet(got Tree, shaper string, path Path, o *Observation) string {
	if !r.ok {
		return fmt.Sprintf("%s %s has no valid rate (%q)", path.Device, path.Direction, r.text)
	}
	if r.kbit == 0 {
		return ""
	}
	if got.device(shaper) == nil || !shaped(got, shaper) {
		return fmt.Sprintf("%s %s is not shaped", path.Device, path.Direction)
	}
	if got.device(shaper)["up"] != true {
		return fmt.Sprintf("%s %s goes to %s, which is down", path.Device, path.Direction, shaper)
	}
	if kbit := rateOf(got, shaper); kbit != r.kbit && !r.free {
		return fmt.Sprintf("%s %s is shaped at %d kbit/s, want %d", path.Device, path.Direction, kbit, r.kbit)
	}
	probe, ok := o.probe(path)
	if !ok {
		return fmt.Sprintf("%s %s: no packets were sent", path.Device, path.Direction)
	}
	return strings.Join(probe.delivery(fmt.Sprintf("%s %s", path.Device, path.Direction)), ", ")
}

// rateOf gives the rate in kbit/s at which the root of a device shapes, 0 if it cannot be told.
func rateOf(t Tree, device string) uint64 {
	options, _ := t.root(device)["options"].(node)
	switch t.root(device)["kind"] {
	case "cake":
		bytes, _ := options["bandwidth"].(float64)
		return uint64(bytes) * 8 / 1000
	case "tbf":
		bytes, _ := options["rate"].(float64)
		return uint64(bytes) * 8 / 1000
	case "htb":
		classes, _ := t.device(device)["classes"].(node)
		top, _ := classes["1:1"].(node)
		text, _ := top["ceil"].(string)
		return classRate(text)
	}
	return 0
}

// classRate reads a rate as tc writes it for classes, in kbit/s.
func classRate(text string) uint64 {
	for _, unit := range []struct {
		suffix string
		kbit   uint64
	}{{"Gbit", 1e6}, {"Mbit", 1e3}, {"Kbit", 1}} {
		if digits, found := strings.CutSuffix(text, unit.suffix); found {
			number, _ := strconv.ParseUint(digits, 10, 64)
			return number * unit.kbit
		}
	}
	return 0
}

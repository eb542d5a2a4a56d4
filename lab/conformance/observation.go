// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

// Observation is what sqmd did with a case.
type Observation struct {
	Case       string   `json:"case"`
	Before     Snapshot `json:"before"`
	Start      Exit     `json:"start"`
	AfterStart Snapshot `json:"after_start"`
	Probes     []Probe  `json:"probes"`
	Stop       Exit     `json:"stop"`
	AfterStop  Snapshot `json:"after_stop"`
	NewFiles   []string `json:"new_files"` // in /tmp
	Tables     []string `json:"tables"`    // of iptables, after stop
	Error      string   `json:"error"`     // of the lab; then nothing else counts
}

// Exit is how a command ended.
type Exit struct {
	Code   int    `json:"code"`
	Stderr string `json:"stderr"`
}

// states are the three kernel states of an observation.
type states struct {
	before, afterStart, afterStop Tree
}

func (o *Observation) states() (s states, err error) {
	if s.before, err = o.Before.tree(); err != nil {
		return s, err
	}
	if s.afterStart, err = o.AfterStart.tree(); err != nil {
		return s, err
	}
	s.afterStop, err = o.AfterStop.tree()
	return s, err
}

// probe finds what became of the packets of a path.
func (o *Observation) probe(path Path) (Probe, bool) {
	for _, p := range o.Probes {
		if p.Path == path {
			return p, true
		}
	}
	return Probe{}, false
}

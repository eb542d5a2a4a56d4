// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"sqmd/daemon/history"
	"sqmd/lab/simkernel"
	"sqmd/shaping"
	"sqmd/tc"
)

// A long time in which much happens: devices come and go, other
// programs undo the shaping or change rates, the configuration is rewritten,
// traffic flows and many ask. Memory and log must not grow, and in the end all is
// shaped and the history is whole.
func TestSoak(t *testing.T) {
	tests := map[string]struct{ length, every, warm time.Duration }{
		"hour": {time.Hour, time.Second, 10 * time.Minute},
		"day":  {25 * time.Hour, time.Minute, 5 * time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				test.length, test.warm = test.length/5, test.warm/5
			}
			s := newSoak(t)
			s.run(test.warm, test.every)
			heap, goroutines := s.footprint()
			s.run(test.length-quiet, test.every)
			grown, more := s.footprint()
			t.Logf("heap %d then %d bytes, log %d bytes", heap, grown, s.logged)
			if grown*100 > heap*110 { // a leak grows with each of thousands of events
				t.Errorf("%d bytes of heap after %v became %d", heap, test.warm, grown)
			}
			if more > goroutines {
				t.Errorf("%d goroutines became %d", goroutines, more)
			}
			s.logIsShort()
			s.settleDown()
			s.historyIsWhole()
		})
	}
}

// quiet is the time at the end in which nothing happens: what the history keeps
// of seconds, and a bit.
const quiet = 6 * time.Minute

// soak is a world in which much happens, always the same.
type soak struct {
	*world
	*rand.Rand
	rate   int
	logged int            // bytes
	lines  map[string]int // of the log, by level and subject
}

// soakQueues are the queues, by their device.
var soakQueues = map[string]string{
	"eth1": "upload %s\tdownload 85000\tqdisc cake\tscript layer_cake.qos",
	"eth2": "upload %s\tdownload 85000\tqdisc fq_codel\tscript simple.qos",
}

func newSoak(t *testing.T) *soak {
	s := &soak{world: newWorld(t, ""), Rand: rand.New(rand.NewPCG(1, 2)), rate: 10000, lines: map[string]int{}}
	s.addDevice("eth2", "device")
	s.configure()
	s.start().pass(2 * time.Second) // the first counters are there
	return s
}

// configure writes a configuration that has not been before.
func (s *soak) configure() {
	s.rate++
	s.writeRate(fmt.Sprint(s.rate))
}

func (s *soak) writeRate(kbit string) {
	s.write(section("wan", "eth1", fmt.Sprintf(soakQueues["eth1"], kbit)) +
		section("guest", "eth2", fmt.Sprintf(soakQueues["eth2"], kbit)))
}

// run lets the world go on until a time; each so often something happens, and
// somebody asks half as often.
func (s *soak) run(until, every time.Duration) {
	for s.now < until {
		s.traffic()
		s.pass(time.Duration(s.Int64N(int64(every))))
		s.happen()
		if s.IntN(2) == 0 {
			s.askSomething()
		}
		s.takeLog()
	}
}

// traffic is what goes through the shapers in a second.
func (s *soak) traffic() {
	for _, shaper := range []string{"eth1", "eth2", "ifb4eth1", "ifb4eth2"} {
		s.k.Advance(shaper, simkernel.Traffic{Bytes: uint64(s.IntN(1 << 20)), Packets: 700, Drops: uint32(s.IntN(5)), Backlog: 3000, Qlen: 2})
	}
}

// happen has one thing happen. A device that is not there cannot be disturbed.
func (s *soak) happen() {
	dev := []string{"eth1", "eth2"}[s.IntN(2)]
	switch s.IntN(40) {
	case 0, 1:
		_ = s.k.DeleteLinkByName(dev)
		s.pass(time.Duration(s.IntN(3000)) * time.Millisecond)
		s.addDevice(dev, "device")
	case 2:
		_ = s.k.DeleteRoot([]string{dev, "ifb4" + dev}[s.IntN(2)])
	case 3:
		_ = s.k.ReplaceRoot(dev, "fq_codel", tc.MakeHandle(uint16(s.IntN(9)), 0))
	case 4:
		_ = s.k.FlushIngress(dev)
	case 5:
		_ = s.k.DeleteHook(dev)
	case 6:
		_ = s.k.DeleteIFB(dev)
	case 7:
		_ = s.k.SetRate("eth1", uint64(1+s.IntN(50))*1000000)
	case 8, 9, 10:
		s.must(s.k.SetCarrier(dev, false))
		s.must(s.k.SetCarrier(dev, true))
	case 11, 12:
		s.must(s.k.SetMTU(dev, 1400+s.IntN(100)))
	case 13:
		s.configure()
	case 14:
		s.writeRate("10Mbit") // a mistake
		s.pass(3 * time.Second)
		s.configure()
	case 15, 16:
		name := fmt.Sprintf("veth%d", s.IntN(1000))
		s.addDevice(name, "veth")
		s.pass(time.Duration(s.IntN(100)) * time.Millisecond)
		s.must(s.k.DeleteLinkByName(name))
	case 17:
		s.k.Resync()
	case 18:
		s.wall += time.Hour
	}
}

// askSomething asks as programs do: LuCI, collectors, persons.
func (s *soak) askSomething() {
	questions := []struct{ method, arguments string }{
		{MethodStatus, `{}`}, {MethodStats, `{}`}, {MethodPlan, `{}`}, {MethodCheck, `{}`},
		{MethodHistory, `{"device":"eth1","direction":"upload"}`},
		{MethodHistory, `{"device":"eth2","direction":"download","step_s":60}`},
	}
	if s.IntN(100) == 0 {
		questions[0].method = MethodReload
	}
	q := questions[s.IntN(len(questions))]
	reply, err := s.ask(q.method, q.arguments)
	if err != nil && q.method != MethodCheck {
		s.t.Fatalf("%v: %s: %v", s.now, q.method, err)
	}
	if _, err := json.Marshal(reply); err != nil {
		s.t.Error(err)
	}
}

// takeLog counts what was logged and forgets it.
func (s *soak) takeLog() {
	s.logged += s.log.Len()
	for _, line := range strings.SplitAfter(s.log.String(), "\n") {
		if line == "" {
			continue
		}
		if len(line) > 400 {
			s.t.Errorf("a line of %d bytes: %s", len(line), line)
		}
		s.lines[subjectOf(line)]++
	}
	s.log.Reset()
}

// subjectOf is the level of a line, and the queue and direction that it is about.
// Only those of a queue begin with its name and device.
func subjectOf(line string) string {
	level, rest := "", line
	for _, l := range []string{"error: ", "warning: "} {
		if r, found := strings.CutPrefix(line, l); found {
			level, rest = l, r
		}
	}
	for queue, device := range map[string]string{"wan": "eth1", "guest": "eth2"} {
		if name := queue + " (" + device + ")"; strings.HasPrefix(rest, name) {
			about, _, _ := strings.Cut(rest, ":")
			return level + about
		}
	}
	return level
}

// footprint is what is in use when nothing is under way.
func (s *soak) footprint() (heap uint64, goroutines int) {
	s.takeLog()
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first one only made free of finalizers and pools
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, runtime.NumGoroutine()
}

// logIsShort holds the promise of [journal.Journal.Log]: of each subject and level
// ten lines at once and one each 30 s, with each at most one line about
// repetitions and one about lines left out.
func (s *soak) logIsShort() {
	most := 3 * (10 + int(s.now/(30*time.Second)) + 1)
	for subject, lines := range s.lines {
		if lines > most {
			s.t.Errorf("%d lines of %q in %v, at most %d are allowed", lines, subject, s.now, most)
		}
	}
	const subjects, levels = 7, 3 // two queues: as such and two directions, and the daemon
	if len(s.lines) > subjects*levels {
		s.t.Errorf("%d subjects and levels, want at most %d: %v", len(s.lines), subjects*levels, s.lines)
	}
}

// settleDown ends all events, and conflicts with them.
func (s *soak) settleDown() {
	s.configure()
	_, err := s.ask(MethodReload, "{}")
	s.must(err)
	for end := s.now + quiet; s.now < end; {
		s.traffic()
		s.pass(time.Second)
	}
	s.is("eth1", shaping.Shaped, shaping.Shaped)
	s.is("eth2", shaping.Shaped, shaping.Shaped)
	if !s.report().Shaped {
		s.t.Error("not all is shaped")
	}
}

// historyIsWhole checks the history of each direction: the last 300 seconds one by
// one, and every minute that there was, up to a day of them.
func (s *soak) historyIsWhole() {
	for device := range soakQueues {
		for _, d := range directions {
			s.consecutive(device, d, 1, 300)
			s.consecutive(device, d, 60, min(int(s.now/time.Minute), 1440))
		}
	}
}

// consecutive checks that there are that many samples, up to now, each a step after
// the one before.
func (s *soak) consecutive(device string, d shaping.Direction, stepS int64, want int) {
	var times []int64
	q := history.Query{StepS: int(stepS)}
	for more := true; more; {
		a, err := s.c.queues[device].direction(d).history.Answer(q)
		s.must(err)
		times = append(times, a.TimesS...)
		q.SinceS, more = a.NextS, a.More
	}
	if len(times) != want {
		s.t.Errorf("%s %s: %d samples of %d s, want %d", device, d, len(times), stepS, want)
		return
	}
	last := int64(s.now/time.Second) / stepS * stepS
	for i, at := range times {
		if due := last - int64(want-1-i)*stepS; at != due {
			s.t.Errorf("%s %s: sample %d of %d s is of %d s, want %d s", device, d, i, stepS, at, due)
			return
		}
	}
}

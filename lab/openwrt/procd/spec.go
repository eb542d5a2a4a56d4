// SPDX-License-Identifier: GPL-2.0-or-later

package procd

import (
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"reflect"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// spec is how an instance is to be run, and the state of the things it depends on when it was asked for.
type spec struct {
	// asked is the instance's table as it came, without what procd does not compare.
	asked   map[string]any
	command []string
	env     []string
	// files are the MD5 sums of the files by name, links the indices of the devices; both zero for what is not there.
	files map[string][md5.Size]byte
	links map[string]int

	respawn              bool
	threshold, pause     time.Duration // an instance that lives shorter counts as crashed; wait before the next start
	retry                int           // crashes in a row that are borne; 0 is any number
	jail                 []string      // the arguments of ujail, nil for none
	termTimeout          time.Duration
	reloadSignal         syscall.Signal
	pidfile              string
	logOutput, logErrors bool
	failed               bool // the script reported an error
}

// notCompared are the parameters whose change restarts nothing.
var notCompared = []string{"data", "stdout", "stderr", "trigger", "watch"}

// defaults of procd, for what an instance does not say.
const (
	defaultThreshold   = 3600 * time.Second
	defaultPause       = 5 * time.Second
	defaultRetry       = 5
	defaultTermTimeout = 5 * time.Second
)

var errInstance = errors.New("malformed instance")

// readSpec reads an instance's table. Files and devices are those below root.
func readSpec(table map[string]any, root string) (spec, error) {
	s := spec{
		asked: maps.Clone(table), termTimeout: defaultTermTimeout,
		threshold: defaultThreshold, pause: defaultPause, retry: defaultRetry,
		files: map[string][md5.Size]byte{}, links: map[string]int{},
	}
	for _, name := range notCompared {
		delete(s.asked, name)
	}
	var ok bool
	if s.command, ok = stringsOf(table["command"]); !ok {
		return s, fmt.Errorf("%w: command is not a list of strings", errInstance)
	}
	env, _ := table["env"].(map[string]any)
	for name, value := range env {
		s.env = append(s.env, fmt.Sprintf("%s=%v", name, value))
	}
	files, _ := stringsOf(table["file"])
	for _, name := range files {
		s.files[name] = sum(root + name)
	}
	links, _ := stringsOf(table["netdev"])
	for _, name := range links {
		s.links[name] = 0
		if link, err := net.InterfaceByName(name); err == nil {
			s.links[name] = link.Index
		}
	}
	if seconds, given := integer(table["term_timeout"]); given {
		s.termTimeout = time.Duration(seconds) * time.Second
	}
	number, _ := integer(table["reload_signal"])
	s.reloadSignal = syscall.Signal(number)
	s.pidfile, _ = table["pidfile"].(string)
	s.logOutput, s.logErrors = flag(table["stdout"]), flag(table["stderr"])
	faults, _ := stringsOf(table["error"])
	s.failed = len(faults) > 0
	s.readJail(table)
	return s, s.readRespawn(table["respawn"])
}

func (s *spec) readRespawn(value any) error {
	list, given := value.([]any)
	if s.respawn = given; !given {
		return nil
	}
	numbers := [3]int64{int64(s.threshold / time.Second), int64(s.pause / time.Second), int64(s.retry)}
	for i := range min(len(list), len(numbers)) {
		n, ok := integer(list[i])
		if !ok {
			return fmt.Errorf("%w: respawn %v is not a number", errInstance, list[i])
		}
		numbers[i] = n
	}
	s.threshold, s.pause = time.Duration(numbers[0])*time.Second, time.Duration(numbers[1])*time.Second
	s.retry = int(numbers[2])
	return nil
}

// ujail is what procd starts a jailed instance by. Without it there is no jail.
const ujail = "/sbin/ujail"

// readJail makes the arguments of ujail.
func (s *spec) readJail(table map[string]any) {
	jail, given := table["jail"].(map[string]any)
	if !given {
		return
	}
	s.jail = []string{"-t", strconv.Itoa(int(s.termTimeout / time.Second))}
	word := func(option string, value any) {
		if text, ok := value.(string); ok {
			s.jail = append(s.jail, option, text)
		}
	}
	word("-n", jail["name"])
	word("-C", table["capabilities"])
	for _, f := range []struct {
		option string
		value  any
	}{{"-c", table["no_new_privs"]}, {"-p", jail["procfs"]}, {"-s", jail["sysfs"]}, {"-o", jail["ronly"]}} {
		if flag(f.value) {
			s.jail = append(s.jail, f.option)
		}
	}
	mounts, _ := jail["mount"].(map[string]any)
	for _, at := range slices.Sorted(maps.Keys(mounts)) {
		option := "-r"
		if mounts[at] == "1" {
			option = "-w"
		}
		s.jail = append(s.jail, option, at)
	}
}

// commandLine is what is to be started.
func (s spec) commandLine() []string {
	if _, err := os.Stat(ujail); s.jail == nil || err != nil {
		return s.command
	}
	return slices.Concat([]string{ujail}, s.jail, []string{"--"}, s.command)
}

// changed tells whether an instance that runs as s has to be restarted to run as next.
func (s spec) changed(next spec) bool {
	return !reflect.DeepEqual(s.asked, next.asked) || !maps.Equal(s.files, next.files) || !maps.Equal(s.links, next.links)
}

// sum is the MD5 sum of a file, zero for one that cannot be read.
func sum(path string) (digest [md5.Size]byte) {
	file, err := os.Open(path)
	if err != nil {
		return digest
	}
	defer file.Close()
	hash := md5.New()
	if _, err := io.Copy(hash, file); err == nil {
		copy(digest[:], hash.Sum(nil))
	}
	return digest
}

// stringsOf is a list of strings; an absent one is empty.
func stringsOf(value any) (list []string, ok bool) {
	values, isList := value.([]any)
	if value != nil && !isList {
		return nil, false
	}
	for _, v := range values {
		text, isText := v.(string)
		if !isText {
			return nil, false
		}
		list = append(list, text)
	}
	return list, true
}

// integer reads a number of any width, or a string that is one.
func integer(value any) (n int64, ok bool) {
	switch v := value.(type) {
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// flag reads a boolean, which scripts also send as a number.
func flag(value any) bool {
	if b, ok := value.(bool); ok {
		return b
	}
	n, _ := integer(value)
	return n != 0
}

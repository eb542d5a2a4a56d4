// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"sqmd/lab/tcsuite/front"
)

// modules are what cases take for granted: the kernel loads an action's module when the action is added, but not when it
// is listed or flushed. sch_pie has what sch_fq_pie needs.
var modules = []string{"act_mirred", "act_ctinfo", "act_skbedit", "act_pedit", "act_csum", "act_gact", "sch_pie"}

// rareQdiscs are kinds of ours that not every kernel has.
var rareQdiscs = []string{"fq_pie"}

// Prepare makes the machine ready for cases: it loads modules, and moduleFile, if not empty, last. The result is why cases
// cannot run on this kernel.
func Prepare(moduleFile string) ([]LeftOut, error) {
	// A kernel with everything built in knows no modules; what it lacks, cases will tell.
	process(strings.Join(append([]string{"modprobe", "-q", "-a"}, modules...), " "))
	if moduleFile != "" {
		if err := loadModule(moduleFile); err != nil {
			return nil, err
		}
	}
	var missing []LeftOut
	for _, kind := range rareQdiscs {
		if !hasQdisc(kind) {
			missing = append(missing, LeftOut{" root " + kind, "the guest's kernel does not have this qdisc"})
		}
	}
	return missing, nil
}

func loadModule(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("load module: %w", err)
	}
	defer file.Close()
	if err := unix.FinitModule(int(file.Fd()), "", 0); err != nil && err != unix.EEXIST {
		return fmt.Errorf("load module %s: %w", name, err)
	}
	return nil
}

// hasQdisc tries the kind on a device of a namespace that is thrown away.
func hasQdisc(kind string) bool {
	result := make(chan bool)
	go func() {
		runtime.LockOSThread()
		err := enterWorld(Case{})
		result <- err == nil && front.Run([]string{"qdisc", "add", "dev", "lo", "root", kind}, io.Discard) == 0
	}()
	return <-result
}

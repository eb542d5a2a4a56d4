// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"os"
	"path/filepath"
	"strings"

	"sqmd/lab/kernels"
)

// KernelVariable names the environment variable that selects another user-mode Linux kernel than that of scripts/lab-kernel.
const KernelVariable = "SQMD_LAB_KERNEL"

func findKernel() (string, error) {
	if path := os.Getenv(KernelVariable); path != "" {
		return path, nil
	}
	system, err := kernels.Find(kernels.UML)
	return filepath.Join(system, "kernel"), err
}

// virtualTime lets time jump to the next timer while nothing can run, and stand still while something runs. It begins at
// the same moment in every guest: the beginning of 2026, in nanoseconds.
const virtualTime = "time-travel=inf-cpu time-travel-start=1767225600000000000"

// kernelArguments returns the guest's kernel command line. Descriptor 1 receives the console; the payload's output or
// terminal is on serial lines so that kernel messages never mix with it.
func (g *Guest) kernelArguments(s *spec, specPath string) []string {
	arguments := []string{
		"mem=" + g.Memory,
		"rootfstype=hostfs", "rootflags=/", "ro",
		"init=" + quoteParameter(g.Init),
		"uml_dir=" + quoteParameter(s.Control),
		"con=null", "con0=null,fd:1", "ssl=null",
		"quiet", "panic=-1",
		// Devices that the kernel would make by itself.
		"ifb.numifbs=0", "dummy.numdummies=0",
		specVariable + "=" + quoteParameter(specPath),
	}
	if !g.RealTime {
		arguments = append(arguments, strings.Fields(virtualTime)...)
	}
	switch {
	case s.Terminal:
		arguments = append(arguments, "ssl0=fd:3,fd:4")
	case s.Input:
		arguments = append(arguments, "ssl0=fd:0,fd:3", "ssl1=null,fd:4")
	default:
		arguments = append(arguments, "ssl0=null,fd:3", "ssl1=null,fd:4")
	}
	return append(arguments, g.KernelArguments...)
}

// quoteParameter keeps a value with spaces in one kernel parameter.
func quoteParameter(value string) string {
	if strings.ContainsAny(value, " \t") {
		return `"` + value + `"`
	}
	return value
}

// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// KernelVariable names the environment variable that selects another user-mode Linux kernel than linux.uml in the path.
const KernelVariable = "SQMD_LAB_KERNEL"

func findKernel() (string, error) {
	name := os.Getenv(KernelVariable)
	if name == "" {
		name = "linux.uml"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("find the guest kernel: %w; run scripts/setup, or set %s to a user-mode linux kernel", err, KernelVariable)
	}
	return path, nil
}

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
		specVariable + "=" + quoteParameter(specPath),
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

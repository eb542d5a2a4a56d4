// SPDX-License-Identifier: GPL-2.0-or-later

// Package kernels finds what scripts/lab-kernel has made for the guests of the lab to start from. What these kernels have
// built in is in the configurations of this directory.
package kernels

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheVariable names the environment variable that says where scripts/lab-kernel keeps what it makes.
const CacheVariable = "SQMD_CACHE"

// Systems that scripts/lab-kernel makes.
const (
	// UML is the kernel for user-mode Linux guests, and in the directory tc-tests its tests of traffic control.
	UML = "uml"
	// MaltaLittle and MaltaBig are systems for a MIPS 74Kc of either byte order: a kernel, modules with their order,
	// and programs in root.
	MaltaLittle = "le"
	MaltaBig    = "be"
)

// Find returns the directory of a system. The kernel in it is the file kernel. The error of a system that was not made says
// how to make it.
func Find(system string) (string, error) {
	cache := os.Getenv(CacheVariable)
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find the guest's kernel: %w", err)
		}
		cache = filepath.Join(user, "sqmd")
	}
	directory := filepath.Join(cache, "kernels", system)
	if _, err := os.Stat(filepath.Join(directory, "kernel")); err != nil {
		return "", fmt.Errorf("find the guest's kernel: %w; run scripts/lab-kernel %s", err, system)
	}
	return directory, nil
}

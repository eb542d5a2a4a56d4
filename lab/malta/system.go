// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheVariable names the environment variable that says where scripts/lab-kernel keeps what it makes.
const CacheVariable = "SQMD_CACHE"

// findSystem returns the directory that scripts/lab-kernel made: a kernel, its modules in modules with their order, and
// programs in root.
func findSystem(e Endian) (string, error) {
	if e != Little && e != Big {
		return "", fmt.Errorf("find malta kernel: byte order %q is neither %q nor %q", e, Little, Big)
	}
	cache := os.Getenv(CacheVariable)
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find malta kernel: %w", err)
		}
		cache = filepath.Join(user, "sqmd")
	}
	system := filepath.Join(cache, "malta", string(e))
	if _, err := os.Stat(filepath.Join(system, "kernel")); err != nil {
		return "", fmt.Errorf("find malta kernel: %w; run scripts/lab-kernel %s", err, e)
	}
	return system, nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sumsFile lists the checksums of all other files, in the form that "sha256sum -c" reads.
const sumsFile = "SHA256SUMS"

// writeSums writes the list for a folder. It is the last file: a folder that has it is complete.
func writeSums(dir string) error {
	var sums strings.Builder
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
		return nil
	})
	if err != nil {
		return fmt.Errorf("checksums: %w", err)
	}
	return write(filepath.Join(dir, sumsFile), []byte(sums.String()))
}

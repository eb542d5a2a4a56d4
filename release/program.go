// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"sqmd/release/arch"
)

// program is sqmd for one target.
type program struct {
	target  arch.Target
	content []byte
	// packed is the size after gzip -9, which is about what it takes of a router's flash.
	packed int
}

// build builds the program for every target, as many at once as there are cores.
func (b *builder) build(ctx context.Context, targets []arch.Target) (map[string]program, error) {
	dir, err := os.MkdirTemp("", "sqmd-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	programs := make([]program, len(targets))
	err = parallel(len(targets), func(i int) (err error) {
		if programs[i], err = b.buildOne(ctx, targets[i], filepath.Join(dir, targets[i].Name)); err != nil {
			return err
		}
		b.progress("built %s: %d bytes, %d packed", targets[i].Name, len(programs[i].content), programs[i].packed)
		return nil
	})
	if err != nil {
		return nil, err
	}
	byName := make(map[string]program, len(programs))
	for _, p := range programs {
		byName[p.target.Name] = p
	}
	return byName, nil
}

// buildOne builds with the script that people build with, so that there is one set of compiler flags.
func (b *builder) buildOne(ctx context.Context, target arch.Target, file string) (program, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.source.dir, "scripts/build"), file)
	cmd.Env = append(append(os.Environ(), "SQMD_VERSION="+b.version), target.Settings()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return program{}, fmt.Errorf("building for %s: %w\n%s", target.Name, err, out)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return program{}, err
	}
	if err := target.Check(bytes.NewReader(content)); err != nil {
		return program{}, err
	}
	packed, err := pack(content)
	return program{target, content, len(packed)}, err
}

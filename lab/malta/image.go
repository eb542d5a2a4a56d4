// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"sqmd/lab/malta/wire"
)

// Names of files in a guest's directory on the host.
const (
	imageFile   = "initramfs.gz"
	initFile    = "init"
	consoleFile = "console.log"
)

// prepare writes the guest's first file system.
func (g *Guest) prepare(ctx context.Context, system, work string) error {
	if g.OutDir != "" {
		if err := os.MkdirAll(g.OutDir, 0o755); err != nil {
			return err
		}
	}
	init := filepath.Join(work, initFile)
	if err := Build(ctx, g.Endian, "sqmd/lab/malta/guestinit", init); err != nil {
		return err
	}
	files, modules, err := systemFiles(system, g.Bare)
	if err != nil {
		return err
	}
	spec, err := json.Marshal(wire.Spec{Command: g.Command, Env: g.Env, Dir: path.Join("/", g.Dir), Modules: modules, Shares: g.shares()})
	if err != nil {
		return err
	}
	files = append(files, File{Path: wire.SpecPath, Content: string(spec)}, File{Path: "/init", Source: init, Mode: 0o755})
	return writeImage(filepath.Join(work, imageFile), append(files, g.Files...))
}

// shares returns the shares of a guest, in an order of their own.
func (g *Guest) shares() []wire.Share {
	var all []wire.Share
	for at := range g.Shares {
		all = append(all, wire.Share{Path: at})
	}
	if g.OutDir != "" {
		all = append(all, wire.Share{Path: Out, Writable: true})
	}
	// What lies in another share is mounted after that.
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	for i := range all {
		all[i].Tag = fmt.Sprintf("share%d", i)
	}
	return all
}

// systemFiles returns the files of a system made by scripts/lab-kernel, and its modules in the order of loading.
func systemFiles(system string, bare bool) (files []File, modules []string, err error) {
	order, err := os.ReadFile(filepath.Join(system, "modules", "order"))
	if err == nil {
		modules = strings.Fields(string(order))
	} else if !os.IsNotExist(err) {
		return nil, nil, err // without modules all is built in
	}
	for _, name := range modules {
		files = append(files, File{Path: path.Join(wire.ModulesDir, name), Source: filepath.Join(system, "modules", name)})
	}
	if bare {
		return files, modules, nil
	}
	programs, err := FilesIn(filepath.Join(system, "root"), "/")
	return append(files, programs...), modules, err
}

// writeImage writes files as an initramfs. The kernel opens the console before anything is mounted.
func writeImage(target string, files []File) error {
	file, err := os.Create(target)
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	// Packing well takes longer than it saves: the image is read once, from memory.
	packed, err := gzip.NewWriterLevel(buffered, gzip.BestSpeed)
	if err != nil {
		return err
	}
	a := newArchive(packed)
	a.device("/dev/console", 5, 1)
	for _, f := range files {
		if err := f.addTo(a); err != nil {
			return err
		}
	}
	if err := a.close(); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return buffered.Flush()
}

// SPDX-License-Identifier: GPL-2.0-or-later

package arch

import (
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"io"
	"strings"
)

// Check says why a program does not run on routers of the target: another machine, word size or byte order, a loader or
// C library that it would need there, or instructions beyond the target's level, as Go noted them in the program.
func (t Target) Check(program io.ReaderAt) error {
	file, err := elf.NewFile(program)
	if err != nil {
		return fmt.Errorf("target %s: %w", t.Name, err)
	}
	if file.Class != t.class || file.ByteOrder != t.order || file.Machine != t.machine || file.Type != elf.ET_EXEC {
		return fmt.Errorf("target %s: the program is %v %v %v %v; want %v %v %v %v",
			t.Name, file.Type, file.Class, file.ByteOrder, file.Machine, elf.ET_EXEC, t.class, t.order, t.machine)
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("target %s: the program is not static: it has a segment %v", t.Name, segment.Type)
		}
	}
	return t.checkSettings(program)
}

// checkSettings compares the build's own notes: an ELF header tells neither GOARM=5 from 7 nor whether mips may use its
// floating point unit.
func (t Target) checkSettings(program io.ReaderAt) error {
	info, err := buildinfo.Read(program)
	if err != nil {
		return fmt.Errorf("target %s: %w", t.Name, err)
	}
	noted := make(map[string]string)
	for _, s := range info.Settings {
		noted[s.Key] = s.Value
	}
	for _, want := range t.Settings() {
		key, value, _ := strings.Cut(want, "=")
		if noted[key] != value {
			return fmt.Errorf("target %s: the program was built with %s=%s; want %s", t.Name, key, noted[key], value)
		}
	}
	return nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

// Package arch knows which of Go's targets fits which of OpenWrt's package architectures.
package arch

import (
	"debug/elf"
	"encoding/binary"
)

// Target is what Go builds for. One static program serves every router of it.
type Target struct {
	// Name tells targets apart where GOARCH does not: "arm5", "arm7".
	Name string
	// GOARCH is Go's name of the machine.
	GOARCH string
	// Level is the variable that picks the instruction set within GOARCH, as "GOMIPS=softfloat"; empty where Go has
	// just one.
	Level string

	// Emulator is the command of qemu that runs the target's programs on this machine, with a core no better than the
	// weakest that packages for the target are meant for.
	Emulator string

	class   elf.Class
	order   binary.ByteOrder
	machine elf.Machine
}

// Settings are the environment of a build for the target.
func (t Target) Settings() []string {
	settings := []string{"GOOS=linux", "GOARCH=" + t.GOARCH}
	if t.Level != "" {
		settings = append(settings, t.Level)
	}
	return settings
}

// Arch is one of OpenWrt's package architectures.
type Arch struct {
	// Name is the architecture as a package and its feed have it: "mips_24kc".
	Name string
	// Target is what runs on it.
	Target Target
}

// The targets. Levels follow OpenWrt's golang-values.mk: without the name of a floating point unit in the architecture
// arm means 5, with vfp 6, with a later one 7, and mips has none. Where a core could do more than its target says, one
// binary fewer is worth more: sqmd spends its time in the kernel.
//
// qemu's i386 delivers signals to Go's programs in a way that breaks them, hence one kind of signal fewer.
var (
	mips    = Target{"mips", "mips", "GOMIPS=softfloat", "qemu-mips-static -cpu 24Kc", elf.ELFCLASS32, binary.BigEndian, elf.EM_MIPS}
	mipsle  = Target{"mipsle", "mipsle", "GOMIPS=softfloat", "qemu-mipsel-static -cpu 4Kc", elf.ELFCLASS32, binary.LittleEndian, elf.EM_MIPS}
	mips64  = Target{"mips64", "mips64", "GOMIPS64=softfloat", "qemu-mips64-static -cpu Octeon68XX", elf.ELFCLASS64, binary.BigEndian, elf.EM_MIPS}
	arm5    = Target{"arm5", "arm", "GOARM=5", "qemu-arm-static -cpu arm926", elf.ELFCLASS32, binary.LittleEndian, elf.EM_ARM}
	arm6    = Target{"arm6", "arm", "GOARM=6", "qemu-arm-static -cpu arm1176", elf.ELFCLASS32, binary.LittleEndian, elf.EM_ARM}
	arm7    = Target{"arm7", "arm", "GOARM=7", "qemu-arm-static -cpu cortex-a8", elf.ELFCLASS32, binary.LittleEndian, elf.EM_ARM}
	arm64   = Target{"arm64", "arm64", "GOARM64=v8.0", "qemu-aarch64-static -cpu cortex-a53", elf.ELFCLASS64, binary.LittleEndian, elf.EM_AARCH64}
	i386    = Target{"386", "386", "GO386=softfloat", "qemu-i386-static -cpu pentium -E GODEBUG=asyncpreemptoff=1", elf.ELFCLASS32, binary.LittleEndian, elf.EM_386}
	amd64   = Target{"amd64", "amd64", "GOAMD64=v1", "qemu-x86_64-static -cpu qemu64", elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64}
	riscv64 = Target{"riscv64", "riscv64", "GORISCV64=rva20u64", "qemu-riscv64-static", elf.ELFCLASS64, binary.LittleEndian, elf.EM_RISCV}
	loong64 = Target{"loong64", "loong64", "", "qemu-loongarch64-static", elf.ELFCLASS64, binary.LittleEndian, elf.EM_LOONGARCH}
)

// Targets are all there is to build, those of small routers first.
func Targets() []Target {
	return []Target{mips, mipsle, arm5, arm6, arm7, arm64, i386, amd64, mips64, riscv64, loong64}
}

// All are the architectures that packages are made for, in order of name. Big-endian arm, powerpc and other machines
// that Go has no target for are absent: OpenWrt's GO_ARCH_DEPENDS leaves them out too.
func All() []Arch {
	return []Arch{
		{"aarch64_cortex-a53", arm64},       // MediaTek Filogic, Qualcomm IPQ807x, Raspberry Pi 3
		{"aarch64_cortex-a72", arm64},       // Raspberry Pi 4, Armada 8K
		{"aarch64_cortex-a76", arm64},       // Raspberry Pi 5
		{"aarch64_generic", arm64},          // Rockchip, virtual machines
		{"arm_arm1176jzf-s_vfp", arm6},      // Raspberry Pi 1
		{"arm_arm926ej-s", arm5},            // AT91, i.MX23/28
		{"arm_cortex-a15_neon-vfpv4", arm7}, // Qualcomm IPQ806x, virtual machines
		{"arm_cortex-a5_vfpv4", arm7},       // SAMA5
		{"arm_cortex-a7", arm5},             // MediaTek MT7629
		{"arm_cortex-a7_neon-vfpv4", arm7},  // Qualcomm IPQ40xx, Raspberry Pi 2
		{"arm_cortex-a7_vfpv4", arm7},       // SAMA7
		{"arm_cortex-a8_vfpv3", arm7},       // Allwinner A10, TI AM335x
		{"arm_cortex-a9", arm5},             // Broadcom BCM53xx
		{"arm_cortex-a9_neon", arm7},        // i.MX6, Zynq
		{"arm_cortex-a9_vfpv3-d16", arm7},   // Armada 38x: WRT1200, WRT1900, WRT3200
		{"arm_xscale", arm5},                // Kirkwood
		{"i386_pentium-mmx", i386},          // Geode
		{"i386_pentium4", i386},             // PCs without 64 bits
		{"loongarch64_generic", loong64},    // Loongson 3A5000
		{"mips64_octeonplus", mips64},       // EdgeRouter Lite
		{"mips_24kc", mips},                 // Archer C7 and all of ath79, Lantiq
		{"mips_mips32", mips},               // Broadcom BCM63xx
		{"mipsel_24kc", mipsle},             // MediaTek MT7621, MT7620, MT76x8
		{"mipsel_74kc", mipsle},             // Ralink RT3883, Broadcom BCM47xx
		{"mipsel_mips32", mipsle},           // older Broadcom BCM47xx
		{"riscv64_generic", riscv64},        // Allwinner D1, VisionFive 2
		{"riscv64_riscv64", riscv64},        // the same, up to OpenWrt 24.10
		{"x86_64", amd64},                   // PCs, virtual machines
	}
}

// Lookup finds an architecture by OpenWrt's name.
func Lookup(name string) (Arch, bool) {
	for _, a := range All() {
		if a.Name == name {
			return a, true
		}
	}
	return Arch{}, false
}

// SPDX-License-Identifier: GPL-2.0-or-later

package wire

// Where a guest finds what it is told.
const (
	SpecPath   = "/lab/spec.json" // a [Spec]
	ModulesDir = "/lab/modules"   // the kernel's modules, gone once they are loaded
)

// Spec tells a guest what to do.
type Spec struct {
	Command []string `json:"command"`
	Env     []string `json:"env,omitempty"` // NAME=VALUE
	Dir     string   `json:"dir"`
	Modules []string `json:"modules,omitempty"` // files in ModulesDir, each after those it needs
	Shares  []Share  `json:"shares,omitempty"`
}

// Share is a directory of the host that the guest mounts.
type Share struct {
	Tag      string `json:"tag"` // of the virtio 9p device
	Path     string `json:"path"`
	Writable bool   `json:"writable,omitempty"`
}

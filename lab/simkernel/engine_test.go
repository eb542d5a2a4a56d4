// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/shaping"
	"sqmd/uci"
)

var _ shaping.Kernel = (*Kernel)(nil)

// router is a kernel with an Ethernet device eth1, and an engine on it.
func router(t *testing.T) (*Kernel, *shaping.Engine) {
	t.Helper()
	k := New()
	if _, err := k.AddLink("eth1", "veth", 1500); err != nil {
		t.Fatal(err)
	}
	must(t, k.SetLinkUp("eth1", true))
	return k, &shaping.Engine{Kernel: k, Records: shaping.Records{Dir: t.TempDir()}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// recipes is the configurations that package shaping is tested with, by name.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	paths, _ := filepath.Glob("../../shaping/testdata/*.sqm")
	if len(paths) == 0 {
		t.Fatal("package shaping has no test configurations")
	}
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		texts[strings.TrimSuffix(filepath.Base(path), ".sqm")] = string(text)
	}
	return texts
}

// apply brings the kernel to a configuration and counts the operations.
func apply(t *testing.T, e *shaping.Engine, config string) (operations int) {
	t.Helper()
	for _, r := range e.Apply(mustUnits(t, e, config)...) {
		if r.Err != nil {
			t.Fatalf("apply: %v", r.Err)
		}
		operations += len(r.Ops)
	}
	return operations
}

func parsed(config string) uci.Config { return uci.ParseSQM("sqm", []byte(config)) }

func mustUnits(t *testing.T, e *shaping.Engine, config string) []shaping.Unit {
	t.Helper()
	units, findings, err := e.Units(parsed(config), "")
	if err != nil || len(findings) > 0 {
		t.Fatalf("units: %v, findings %v", err, findings)
	}
	return units
}

func stop(t *testing.T, e *shaping.Engine) {
	t.Helper()
	units, err := e.Owned("")
	must(t, err)
	for _, r := range e.Apply(units...) {
		must(t, r.Err)
	}
}

// Every recipe is reached, stays so, does shape, and leaves nothing behind.
func TestRecipes(t *testing.T) {
	for name, config := range recipes(t) {
		t.Run(name, func(t *testing.T) {
			k, e := router(t)
			must(t, k.AddHook("eth1", "clsact"))
			must(t, k.AddForeignFilter("eth1", 3))
			before := k.Foreign()
			units := mustUnits(t, e, config)
			refused := e.Preview(units[0]).Plan.Refused()
			if n := apply(t, e, config); (n == 0) != refused {
				t.Fatalf("the first apply has %d operations, refused %v", n, refused)
			}
			if n := apply(t, e, config); n != 0 {
				t.Errorf("the second apply has %d operations", n)
			}
			up, down := k.Shapes("eth1")
			if !refused && name != "unlimited" && (up == 0 || units[0].Download != nil && down == 0) {
				t.Errorf("shapes %d up and %d down", up, down)
			}
			if k.Blackhole("eth1") {
				t.Error("arriving packets are lost")
			}
			stop(t, e)
			if diff := cmp.Diff(before, k.Foreign()); diff != "" {
				t.Errorf("foreign state (-before +after):\n%s", diff)
			}
			if links, _ := k.Links(); len(links) != 2 {
				t.Errorf("links that are left: %v", links)
			}
			if up, down := k.Shapes("eth1"); up != 0 || down != 0 {
				t.Errorf("after stop it shapes %d up and %d down", up, down)
			}
		})
	}
}

// One recipe is reached from every other.
func TestFromRecipeToRecipe(t *testing.T) {
	texts := recipes(t)
	for from, first := range texts {
		for to, second := range texts {
			k, e := router(t)
			apply(t, e, first)
			apply(t, e, second)
			if n := apply(t, e, second); n != 0 {
				t.Errorf("from %s to %s: %d operations are left", from, to, n)
			}
			stop(t, e)
			if links, _ := k.Links(); len(links) != 2 {
				t.Errorf("from %s to %s: links that are left: %v", from, to, links)
			}
		}
	}
}

// A failure of any single operation is taken back.
func TestFailureIsTakenBack(t *testing.T) {
	for name, config := range recipes(t) {
		for spoil := 1; ; spoil++ {
			k, e := router(t)
			must(t, k.AddHook("eth1", "clsact"))
			must(t, k.AddForeignFilter("eth1", 3))
			before := dumpAll(t, k)
			changes := 0
			k.Fail(func(op string) error {
				if strings.HasPrefix(op, "dump") || op == "send" || op == "receive" {
					return nil
				}
				if changes++; changes == spoil {
					return syscall.ENOMEM
				}
				return nil
			})
			results := e.Apply(mustUnits(t, e, config)...)
			k.Fail(nil)
			if changes < spoil {
				break
			}
			if results[0].Err == nil {
				t.Errorf("%s: failure of change %d goes unnoticed", name, spoil)
			}
			if diff := cmp.Diff(before, dumpAll(t, k)); diff != "" {
				t.Errorf("%s: after the failure of change %d (-before +after):\n%s", name, spoil, diff)
			}
		}
	}
}

// dumpAll is all that the dumps show, without the numbers that the kernel gives
// anew to actions.
func dumpAll(t *testing.T, k *Kernel) []string {
	t.Helper()
	lines, err := shown(k)
	must(t, err)
	return lines
}

// SPDX-License-Identifier: GPL-2.0-or-later

package openwrt

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sqmd/lab/openwrt/installer"
)

// The trees of files: OpenWrt's own, and those of sqm-scripts.
//
//go:embed all:root all:sqm
var trees embed.FS

// Options say what a root is made of.
type Options struct {
	// Busybox and Box are the paths of a static busybox and of sqmbox.
	Busybox, Box string
	// Arch is the architecture of the packages that it takes, as OpenWrt calls it.
	Arch string
	// SQMScripts has sqm-scripts installed and enabled.
	SQMScripts bool
	// SQM is the text of /etc/config/sqm, "" for none or, with SQMScripts, the one it ships.
	SQM string
}

// Root is a root directory.
type Root struct {
	dir     string
	options Options
	procd   *exec.Cmd // nil while the system is down
	mounted []string
}

// provided are packages that the images of OpenWrt have, and that others may depend on.
var provided = []string{
	"base-files", "busybox", "procd", "ubus", "ubusd", "uci", "kernel", "libc",
	"kmod-sched-core", "kmod-sched-cake", "kmod-ifb",
}

// network is the configuration of two networks, with devices that a test makes.
const network = `
config interface 'loopback'
	option device 'lo'
	option proto 'static'

config interface 'lan'
	option device 'lan0'
	option proto 'static'

config interface 'wan'
	option device 'eth1'
	option proto 'dhcp'
`

// New makes a root in a directory that is empty or not there. It is as after the first boot, but down.
func New(dir string, o Options) (*Root, error) {
	r := &Root{dir: dir, options: o}
	steps := []func() error{r.directories, r.programs, func() error { return r.plant("root") }, r.settings, r.packages}
	if o.SQMScripts {
		steps = append(steps, r.sqmScripts)
	}
	if o.SQM != "" {
		steps = append(steps, func() error { return r.Write("/etc/config/sqm", o.SQM, 0o644) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, fmt.Errorf("make root: %w", err)
		}
	}
	return r, nil
}

// Path is where a file of the root is, seen from outside.
func (r *Root) Path(name string) string {
	// /var is a link to tmp, which means another place outside.
	if rest, below := strings.CutPrefix(name, "/var/"); below {
		name = "/tmp/" + rest
	}
	return filepath.Join(r.dir, name)
}

// Write makes a file with its directories.
func (r *Root) Write(name, text string, mode fs.FileMode) error {
	path := r.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), mode)
}

// Read gives the text of a file, "" if it is not there.
func (r *Root) Read(name string) string {
	text, _ := os.ReadFile(r.Path(name))
	return string(text)
}

// Exists tells whether a file is there, also if it is a link that leads nowhere.
func (r *Root) Exists(name string) bool {
	_, err := os.Lstat(r.Path(name))
	return err == nil
}

func (r *Root) directories() error {
	for _, name := range []string{
		"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/proc", "/sys", "/dev", "/tmp/lock", "/root",
		"/etc/config", "/etc/rc.d", "/etc/uci-defaults", "/etc/hotplug.d/iface", "/etc/hotplug.d/net",
	} {
		if err := os.MkdirAll(r.Path(name), 0o755); err != nil {
			return err
		}
	}
	return os.Symlink("tmp", filepath.Join(r.dir, "var"))
}

// programs installs the two multi-call programs and the links to them.
func (r *Root) programs() error {
	busybox, err := os.ReadFile(r.options.Busybox)
	if err != nil {
		return err
	}
	if busybox, err = hideApplets(busybox, append(boxed, "logger")); err != nil {
		return err
	}
	if err := os.WriteFile(r.Path("/bin/busybox"), busybox, 0o755); err != nil {
		return err
	}
	if err := put(r.options.Box, r.Path("/sbin/sqmbox")); err != nil {
		return err
	}
	list, err := exec.Command(r.Path("/bin/busybox"), "--list").Output()
	if err != nil {
		return fmt.Errorf("list busybox's programs: %w", err)
	}
	links := map[string]string{}
	for _, name := range strings.Fields(string(list)) {
		links[name] = "/bin/busybox"
	}
	for _, name := range boxed {
		links[name] = "/sbin/sqmbox"
	}
	delete(links, "busybox")
	delete(links, "logger") // which is a script
	for name, target := range links {
		if err := os.Symlink(target, r.Path("/bin/"+name)); err != nil {
			return err
		}
	}
	// Scripts call some by their full names.
	for _, name := range []string{"/sbin/uci", "/bin/uci", "/sbin/reload_config", "/sbin/kmodloader"} {
		target := "/sbin/sqmbox"
		if strings.HasSuffix(name, "kmodloader") {
			target = "/bin/true"
		}
		if err := os.Symlink(target, r.Path(name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// boxed are the programs of sqmbox. They come before those of busybox that have the same names.
var boxed = []string{
	"apk", "config-vars", "flock", "ifdown", "ifup", "lock", "opkg", "procd", "procd-ask", "reload_config", "tc", "ubus", "uci",
}

// put makes a file the same as another: a link where that is possible, else a copy.
func put(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// plant copies one of the embedded trees. It knows what is to be run by its place.
func (r *Root) plant(tree string) error {
	return fs.WalkDir(trees, tree, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := trees.ReadFile(name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(text), "#!") {
			mode = 0o755
		}
		return r.Write(strings.TrimPrefix(name, tree), string(text), mode)
	})
}

func (r *Root) settings() error {
	files := map[string]string{
		"/etc/passwd":            "root:x:0:0:root:/root:/bin/ash\nnobody:*:65534:65534:nobody:/var:/bin/false\n",
		"/etc/group":             "root:x:0:\nnogroup:x:65534:\n",
		"/etc/config/network":    network,
		"/etc/config/system":     "\nconfig system\n\toption hostname 'lab'\n",
		"/etc/opkg.conf":         fmt.Sprintf("dest root /\narch all 1\narch noarch 1\narch %s 10\n", r.options.Arch),
		"/etc/apk/arch":          r.options.Arch + "\n",
		"/etc/sysupgrade.conf":   "",
		"/lib/upgrade/keep.d/.d": "",
	}
	for name, text := range files {
		if err := r.Write(name, text, 0o644); err != nil {
			return err
		}
	}
	for _, name := range []string{"/etc/rc.d/S10boot", "/etc/rc.d/S20network"} {
		if err := os.Symlink("../init.d/"+filepath.Base(name)[3:], r.Path(name)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Root) system() installer.System { return installer.System{Root: r.dir, Out: io.Discard} }

// packages writes down what the image has installed.
func (r *Root) packages() error {
	for _, name := range provided {
		if err := r.system().Assume(name, "1-r1"); err != nil {
			return err
		}
	}
	return nil
}

// sqmScripts installs sqm-scripts and enables it.
func (r *Root) sqmScripts() error {
	if err := r.plant("sqm"); err != nil {
		return err
	}
	var files []string
	err := fs.WalkDir(trees, "sqm", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, strings.TrimPrefix(name, "sqm"))
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := r.system().Assume("sqm-scripts", "1.6.0-r1", files...); err != nil {
		return err
	}
	return os.Symlink("../init.d/sqm", r.Path("/etc/rc.d/S50sqm"))
}

// Preinstall puts the package of a file in the root as an image builder does: its services are enabled, and what it
// leaves to the first boot is there.
func (r *Root) Preinstall(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := (installer.Opkg{System: r.system()}).Install(file); err != nil {
		return fmt.Errorf("preinstall: %w", err)
	}
	command := r.Command(context.Background(), "/bin/sh", "-c", "for s in /usr/lib/opkg/info/*.postinst; do $s configure; done")
	// Not empty, as where the system is up, but the same place.
	command.Env = append(command.Env, "IPKG_INSTROOT=/.")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("preinstall: %w: %s", err, output)
	}
	return nil
}

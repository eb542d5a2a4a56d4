// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmrelease builds packages for routers, and a feed and a repository to install them from. It is a tool for
// developers and is not part of what is installed on a router.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"sqmd/release"
	"sqmd/release/arch"
)

const usage = `usage:
  sqmrelease build [flags]   packages, a feed and a repository of them
  sqmrelease targets         what to build programs for: a name, then environment variables
  sqmrelease emulator NAME   the command that runs programs for a target, or an architecture, here
Keys of a release are files named by SQMD_OPKG_KEY (of usign or signify) and SQMD_APK_KEY (PEM, P-256).
`

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(exitUsage)
	case err != nil:
		fmt.Fprintln(os.Stderr, "sqmrelease:", err)
		os.Exit(exitFailed)
	}
}

// errUsage marks wrong usage that has been reported.
var errUsage = errors.New("wrong usage")

func command(ctx context.Context, args []string) error {
	switch {
	case len(args) > 0 && args[0] == "build":
		return build(ctx, args[1:])
	case len(args) == 1 && args[0] == "targets":
		for _, t := range arch.Targets() {
			fmt.Println(t.Name, strings.Join(t.Settings(), " "))
		}
		return nil
	case len(args) == 2 && args[0] == "emulator":
		return printEmulator(args[1])
	}
	fmt.Fprint(os.Stderr, usage)
	return errUsage
}

func printEmulator(name string) error {
	if a, ok := arch.Lookup(name); ok {
		fmt.Println(a.Target.Emulator)
		return nil
	}
	for _, t := range arch.Targets() {
		if t.Name == name {
			fmt.Println(t.Emulator)
			return nil
		}
	}
	return fmt.Errorf("%q is neither a target nor an architecture", name)
}

func build(ctx context.Context, args []string) error {
	o := release.Options{Log: os.Stderr}
	flags := flag.NewFlagSet("sqmrelease build", flag.ContinueOnError)
	flags.StringVar(&o.Dir, "dir", ".", "the top `folder` of the checkout to build from")
	flags.StringVar(&o.Out, "out", "", "the `folder` to fill instead of the checkout's out/packages")
	flags.StringVar(&o.Tag, "release", "", "build the release of `tag`: refuse anything that is not exactly that")
	arches := flags.String("arch", "", "build for these `architectures` alone, parted by commas")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprint(os.Stderr, usage)
		return errUsage
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	if o.Out == "" {
		o.Out = filepath.Join(o.Dir, "out", "packages")
	}
	if o.Arches, err = parseArches(*arches); err != nil {
		return err
	}
	if o.Keys, err = keys(); err != nil {
		return err
	}
	return release.Build(ctx, o)
}

func parseArches(list string) ([]arch.Arch, error) {
	if list == "" {
		return nil, nil
	}
	var chosen []arch.Arch
	for _, name := range strings.Split(list, ",") {
		a, ok := arch.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("no packages are made for architecture %q; there are %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, a)
	}
	return chosen, nil
}

func names() []string {
	var all []string
	for _, a := range arch.All() {
		all = append(all, a.Name)
	}
	return all
}

// keys are those that the environment names, both or none; without them, keys for development that are kept outside of
// the checkout.
func keys() (release.Keys, error) {
	opkg, apk := os.Getenv("SQMD_OPKG_KEY"), os.Getenv("SQMD_APK_KEY")
	if opkg != "" && apk != "" {
		return release.LoadKeys(opkg, apk)
	}
	if opkg != "" || apk != "" {
		return release.Keys{}, errors.New("set both SQMD_OPKG_KEY and SQMD_APK_KEY, or none")
	}
	cache := os.Getenv("SQMD_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return release.Keys{}, fmt.Errorf("set SQMD_CACHE: %w", err)
		}
		cache = filepath.Join(dir, "sqmd")
	}
	return release.DevelopmentKeys(filepath.Join(cache, "development-keys"))
}

// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"sqmd/shaping"
	"sqmd/ubus"
	"sqmd/uci"
	"sqmd/watch"
)

// released is set by the linker to the release's version.
var released string

func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unreleased)"
}

// invocation is the command line, and the environment it runs in.
type invocation struct {
	environment
	verb string
	args []string

	json, openMetrics, dryRun, verbose, version, help bool
	// otherFile is set when -c names a file that the daemon does not use.
	otherFile bool
}

// parse reads flags before and after the verb.
func parse(args []string, env environment) (*invocation, error) {
	in := &invocation{environment: env}
	flags := flag.NewFlagSet("sqmd", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&in.sqm, "c", env.sqm, "")
	flags.BoolVar(&in.json, "json", false, "")
	flags.BoolVar(&in.openMetrics, "openmetrics", false, "")
	flags.BoolVar(&in.dryRun, "dry-run", false, "")
	flags.BoolVar(&in.verbose, "v", false, "")
	flags.BoolVar(&in.version, "version", false, "")
	flags.BoolVar(&in.help, "h", false, "")
	for {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				in.help = true
				return in, nil
			}
			return nil, err
		}
		if flags.NArg() == 0 {
			in.otherFile = in.sqm != env.sqm
			return in, nil
		}
		if in.verb == "" {
			in.verb = flags.Arg(0)
		} else {
			in.args = append(in.args, flags.Arg(0))
		}
		args = flags.Args()[1:]
	}
}

// device is the optional IFACE argument.
func (in *invocation) device() (string, error) {
	if len(in.args) > 1 {
		return "", fmt.Errorf("%s takes at most one device, not %d", in.verb, len(in.args))
	}
	if len(in.args) == 0 {
		return "", nil
	}
	name := strings.TrimPrefix(in.args[0], "@")
	if name == "" {
		// An unset variable in a script must not mean all devices.
		return "", fmt.Errorf("%s of a device without a name", in.verb)
	}
	return name, nil
}

// networkDevice is the device behind a network of that name, or the name itself.
func (in *invocation) networkDevice(name string) string {
	if in.resolve != nil {
		if device, err := in.resolve(name); err == nil && device != "" {
			return device
		}
	}
	return name
}

// usage reports a wrong command line.
func (in *invocation) usage(err error) int {
	fmt.Fprintf(in.stderr, "sqmd: %v; see sqmd help %s\n", err, in.verb)
	return exitUsage
}

// fail reports an error, one line for each.
func (in *invocation) fail(err error) int {
	for _, line := range flatten(err) {
		fmt.Fprintf(in.stderr, "sqmd: %v\n", line)
	}
	return exitFailed
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, flatten(e)...)
		}
		return all
	}
	return []error{err}
}

// load reads the configuration of queues.
func (in *invocation) load() (uci.Config, error) {
	config, err := uci.LoadSQM(in.sqm)
	if err != nil {
		return config, fmt.Errorf("%w; -c names another file", err)
	}
	return config, nil
}

// tell prints findings, those of no consequence only on request, and reports
// whether one is an error.
func (in *invocation) tell(findings []uci.Finding) (errors bool) {
	for _, f := range findings {
		if f.Severity > uci.Note || in.verbose {
			fmt.Fprintf(in.stderr, "sqmd: %s\n", f)
		}
		errors = errors || f.Severity >= uci.Error
	}
	return errors
}

// tellLines prints findings that come as lines.
func (in *invocation) tellLines(findings []string) {
	for _, f := range findings {
		fmt.Fprintf(in.stderr, "sqmd: %s\n", f)
	}
}

// engine connects to the kernel. A nil error comes with a function to call when
// done.
func (in *invocation) engine() (*shaping.Engine, func(), error) {
	kernel, done, err := in.kernel()
	if err != nil {
		return nil, nil, err
	}
	return &shaping.Engine{Kernel: kernel, Records: in.records, Resolve: in.resolve}, done, nil
}

// system is the real environment.
func system() environment {
	return environment{
		stdout: os.Stdout, stderr: os.Stderr,
		kernel: func() (shaping.Kernel, func(), error) {
			k, err := shaping.OpenKernel()
			if err != nil {
				return nil, nil, err
			}
			return k, k.Close, nil
		},
		resolve: resolveNetwork,
		records: shaping.Records{Dir: "/var/run/sqmd"},
		links:   watch.Netlink,
		root:    "/",
		sqm:     "/etc/config/sqm",
		sqmd:    "/etc/config/sqmd",
	}
}

// busPatience bounds a question to the bus; netifd answers in milliseconds.
const busPatience = 2 * time.Second

// resolveNetwork asks netifd for the device behind a logical network.
func resolveNetwork(network string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), busPatience)
	defer cancel()
	return ubus.ResolveDevice(ctx, network)
}

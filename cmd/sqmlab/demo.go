// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"sqmd/lab"
	"sqmd/lab/command"
	"sqmd/lab/demo"
)

// demoInside is the hidden command that measures when in the guest.
const demoInside = "demo-inside"

// demoResults is the file, in the guest's output directory, that the guest leaves for the host.
const demoResults = "demo.json"

func demoCommand(ctx context.Context, args []string) error {
	g := lab.Guest{Stdout: os.Stdout, Stderr: os.Stderr}
	flags := guestFlags("demo", &g)
	program := flags.String("sqmd", "", "sqmd binary, statically linked")
	config := flags.String("config", "", "sqm configuration with one enabled queue, such as /etc/config/sqm")
	chart := flags.String("svg", "", "where to write the chart")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if *program == "" || *config == "" || *chart == "" || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "sqmlab demo: needs --sqmd, --config and --svg, and nothing else")
		return command.ErrUsage
	}
	line, err := demo.ReadLine(*config)
	if err != nil {
		return err
	}
	all, err := measureInGuest(ctx, g, *program, *config)
	if err != nil {
		return err
	}
	fmt.Println()
	if err := demo.WriteTable(os.Stdout, all); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	if err := os.WriteFile(*chart, demo.Chart(line, all), 0o644); err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	fmt.Printf("\nchart: %s\n", *chart)
	return judge(all)
}

// measureInGuest runs this program's hidden command in a guest and reads what it leaves.
func measureInGuest(ctx context.Context, g lab.Guest, program, config string) ([]demo.Measurement, error) {
	if g.OutDir == "" {
		directory, err := os.MkdirTemp("", "sqmlab-demo-")
		if err != nil {
			return nil, fmt.Errorf("make directory for results: %w", err)
		}
		defer os.RemoveAll(directory)
		g.OutDir = directory
	}
	out, err := filepath.Abs(g.OutDir)
	if err != nil {
		return nil, fmt.Errorf("find output directory: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find own executable: %w", err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, fmt.Errorf("find sqmd: %w", err)
	}
	results := filepath.Join(out, demoResults)
	g.Command = []string{self, demoInside, "--sqmd", program, "--config", config, "--results", results}
	fmt.Println("booting the lab")
	if err := run(ctx, g); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(results)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	var all []demo.Measurement
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return all, nil
}

// judge reports every missed bar.
func judge(all []demo.Measurement) error {
	missed := 0
	for _, m := range all {
		for _, bar := range m.Missed {
			fmt.Fprintf(os.Stderr, "missed, %s, %s: %s\n", m.Shaper.Name, m.Load.Name, bar)
			missed++
		}
	}
	if missed > 0 {
		return command.Exit(1)
	}
	return nil
}

// demoInsideCommand measures in the guest.
func demoInsideCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("sqmlab "+demoInside, flag.ContinueOnError)
	program := flags.String("sqmd", "", "sqmd binary")
	config := flags.String("config", "", "sqm configuration")
	results := flags.String("results", "", "file for the results")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	line, err := demo.ReadLine(*config)
	if err != nil {
		return err
	}
	all, err := demo.Measure(ctx, line, *program, *config, os.Stdout)
	if err != nil {
		return err
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("encode results: %w", err)
	}
	if err := os.WriteFile(*results, text, 0o644); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"

	"sqmd/daemon"
	"sqmd/doctor"
)

var doctorCommand = command{
	name: "doctor", arguments: "[--json]",
	summary: "look for what spoils shaping, and say how to mend it",
	details: `Looks at the configuration, the devices, the firewall's offloads and at other
programs that shape. Each finding comes with what it was drawn from and the one
thing to do. Exit code 0 when nothing was found, 1 otherwise.`,
	run: runDoctor,
}

func runDoctor(in *invocation) int {
	if len(in.args) > 0 {
		return in.usage(fmt.Errorf("doctor takes no argument"))
	}
	var report daemon.DoctorReport
	answered, err := in.ask(daemon.MethodDoctor, nil, &report)
	if err == nil && !answered {
		report, err = in.diagnose()
	}
	if err != nil {
		return in.fail(err)
	}
	if in.json {
		if err := in.writeJSON(report); err != nil {
			return in.fail(err)
		}
	} else {
		in.printDiagnosis(report)
	}
	if len(report.Findings) > 0 {
		return exitFailed
	}
	return exitOK
}

// diagnose looks without a daemon.
func (in *invocation) diagnose() (daemon.DoctorReport, error) {
	report := daemon.DoctorReport{Findings: []doctor.Finding{}}
	config, err := in.load()
	if err != nil {
		return report, err
	}
	engine, done, err := in.engine()
	if err != nil {
		return report, err
	}
	defer done()
	engine.RespectRates = true
	units, _, err := engine.Units(config, "")
	if err != nil {
		return report, err
	}
	states, err := engine.Status(units...)
	if err != nil {
		return report, err
	}
	evidence, err := daemon.Diagnose(in.root, in.records, config, units, states)
	if err != nil {
		return report, err
	}
	report.Findings = append(report.Findings, doctor.Examine(evidence)...)
	return report, nil
}

func (in *invocation) printDiagnosis(report daemon.DoctorReport) {
	if len(report.Findings) == 0 {
		fmt.Fprintln(in.stdout, "nothing was found that spoils shaping")
	}
	for _, f := range report.Findings {
		where := ""
		if f.Device != "" {
			where = " (" + f.Device + ")"
		}
		fmt.Fprintf(in.stdout, "%s%s: %s\n    seen in: %s\n    to do:   %s\n    [%s]\n", f.Severity, where, f.Problem, f.Evidence, f.Remedy, f.ID)
	}
}

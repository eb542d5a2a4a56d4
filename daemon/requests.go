// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sqmd/daemon/history"
	"sqmd/shaping"
	"sqmd/ubus"
	"sqmd/uci"
)

// The requests, on ubus and on the socket.
const (
	MethodStatus  = "status"
	MethodStats   = "stats"
	MethodHistory = "history"
	MethodPlan    = "plan"
	MethodCheck   = "check"
	MethodReload  = "reload"
	MethodDoctor  = "doctor"

	MethodOverview = "overview"
	MethodPreview  = "preview"
	MethodDevices  = "devices"
)

// Arguments are those of all requests.
type Arguments struct {
	// Device limits plan and reload to one device, and is required by history. The
	// title of a section does too.
	Device string `json:"device,omitempty"`
	// Direction is upload or download, for history.
	Direction string `json:"direction,omitempty"`
	// SinceS, StepS and Limit are those of [history.Query].
	SinceS int64 `json:"since_s,omitempty"`
	StepS  int64 `json:"step_s,omitempty"`
	Limit  int64 `json:"limit,omitempty"`
	// Config and SQMD are for preview: the texts of /etc/config/sqm, which is
	// required, and of /etc/config/sqmd, as they would be.
	Config string `json:"config,omitempty"`
	SQMD   string `json:"sqmd,omitempty"`
	// Session is what rpcd adds; it means nothing here.
	Session string `json:"ubus_rpc_session,omitempty"`
}

// argumentTypes are the arguments of each request, with their types on ubus.
var argumentTypes = map[string][]ubus.Arg{
	MethodStatus: nil,
	MethodStats:  nil,
	MethodHistory: {
		{Name: "device", Type: ubus.TypeString}, {Name: "direction", Type: ubus.TypeString},
		{Name: "since_s", Type: ubus.TypeInt64}, {Name: "step_s", Type: ubus.TypeInt32}, {Name: "limit", Type: ubus.TypeInt32},
	},
	MethodPlan:   {{Name: "device", Type: ubus.TypeString}},
	MethodCheck:  nil,
	MethodReload: {{Name: "device", Type: ubus.TypeString}},
	MethodDoctor: nil,

	MethodOverview: nil,
	MethodPreview:  {{Name: "config", Type: ubus.TypeString}, {Name: "sqmd", Type: ubus.TypeString}},
	MethodDevices:  nil,
}

// methods are the requests in the order in which they are shown.
var methods = []string{MethodStatus, MethodStats, MethodHistory, MethodPlan, MethodCheck, MethodReload, MethodDoctor,
	MethodOverview, MethodPreview, MethodDevices}

var (
	errMethod = fmt.Errorf("unknown request: known are %s: %w", strings.Join(methods, ", "), ubus.StatusMethodNotFound)
	// errNoDevice says that no queue is about the device.
	errNoDevice = errors.New("no queue shapes that device")
)

// maxName bounds the name of a device or section in a request, in bytes.
const maxName = 64

// decodeArguments reads the arguments of a request; those that it does not have
// are mistakes.
func decodeArguments(method string, text []byte) (Arguments, error) {
	var given map[string]json.RawMessage
	var a Arguments
	if err := json.Unmarshal(text, &given); err != nil {
		return a, fmt.Errorf("arguments are no object: %w", ubus.StatusInvalidArgument)
	}
	for name := range given {
		known := slices.ContainsFunc(argumentTypes[method], func(arg ubus.Arg) bool { return arg.Name == name })
		if !known && name != "ubus_rpc_session" {
			return a, fmt.Errorf("%s has no argument %.40q: %w", method, name, ubus.StatusInvalidArgument)
		}
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("arguments of %s: %v: %w", method, err, ubus.StatusInvalidArgument)
	}
	if len(a.Device) > maxName {
		return a, fmt.Errorf("device is longer than %d bytes: %w", maxName, ubus.StatusInvalidArgument)
	}
	if max(len(a.Config), len(a.SQMD)) > maxPreviewText {
		return a, fmt.Errorf("config or sqmd is longer than %d bytes: %w", maxPreviewText, ubus.StatusInvalidArgument)
	}
	if _, has := given["config"]; method == MethodPreview && !has {
		return a, fmt.Errorf("preview needs the argument config: %w", ubus.StatusInvalidArgument)
	}
	return a, nil
}

// request answers one request.
func (c *core) request(now time.Duration, method string, arguments []byte) (any, error) {
	if !slices.Contains(methods, method) {
		return nil, errMethod
	}
	a, err := decodeArguments(method, arguments)
	if err != nil {
		return nil, err
	}
	switch method {
	case MethodStatus:
		return c.report(now)
	case MethodStats:
		return c.stats(now)
	case MethodHistory:
		return c.history(now, a)
	case MethodPlan:
		return c.plan(a.Device)
	case MethodCheck:
		return c.check()
	case MethodReload:
		return c.reload(now, a.Device)
	case MethodOverview:
		return c.overview(now)
	case MethodPreview:
		return c.preview(a)
	case MethodDevices:
		return c.devices(), nil
	}
	return c.doctor(now)
}

// StatsReport is the answer of stats: the counters alone, without a comparison
// with the configuration.
type StatsReport struct {
	UptimeS int64        `json:"uptime_s"` // of the machine, as in history
	Queues  []QueueStats `json:"queues"`
}

// QueueStats are the counters of one device.
type QueueStats struct {
	Queue      string           `json:"queue"`
	Device     string           `json:"device"`
	Directions []DirectionStats `json:"directions"`
}

// DirectionStats are the counters of one direction that is shaped. State is what
// it was when the kernel last told of a change.
type DirectionStats struct {
	shaping.DirectionStatus
	ThroughputKbit uint64 `json:"throughput_kbit"`
}

func (c *core) stats(now time.Duration) (StatsReport, error) {
	report := StatsReport{UptimeS: c.uptime(now), Queues: []QueueStats{}}
	if err := c.connect(); err != nil {
		return report, err
	}
	counts, err := c.engine.Count(c.shapers())
	if err != nil {
		c.reopen = true
		return report, err
	}
	for _, device := range c.order {
		q := c.queues[device]
		stats := QueueStats{Queue: q.unit.Title(), Device: device, Directions: []DirectionStats{}}
		for _, s := range q.shapers {
			of, count := q.direction(s.Direction), counts[0]
			count.State, count.Reason = of.state, of.reason
			stats.Directions = append(stats.Directions, DirectionStats{count, of.throughput})
			counts = counts[1:]
		}
		report.Queues = append(report.Queues, stats)
	}
	return report, nil
}

// shapers are those of all queues, in the order of queues.
func (c *core) shapers() []shaping.Shaper {
	var all []shaping.Shaper
	for _, device := range c.order {
		all = append(all, c.queues[device].shapers...)
	}
	return all
}

// HistoryReport is the answer of history. Times are seconds since the machine
// was started, so that no setting of the clock disorders them; UptimeS is now.
type HistoryReport struct {
	Device    string `json:"device"`
	Direction string `json:"direction"`
	UptimeS   int64  `json:"uptime_s"`
	history.Answer
}

func (c *core) history(now time.Duration, a Arguments) (HistoryReport, error) {
	report := HistoryReport{Direction: a.Direction, UptimeS: c.uptime(now)}
	q := c.named(a.Device)
	if q == nil {
		return report, fmt.Errorf("%w: %w", errNoDevice, ubus.StatusNotFound)
	}
	at := slices.IndexFunc(directions[:], func(d shaping.Direction) bool { return d.String() == a.Direction })
	// An int has 32 bits on most routers.
	if at < 0 || a.SinceS < 0 || a.Limit < 0 || a.Limit > math.MaxInt32 || a.StepS < 0 || a.StepS > math.MaxInt32 {
		return report, fmt.Errorf("direction is upload or download, step_s 1 or 60, since_s and limit are not negative: %w", ubus.StatusInvalidArgument)
	}
	report.Device = q.device
	of := q.direction(directions[at])
	if of.history == nil {
		return report, fmt.Errorf("nothing was recorded yet: %w", ubus.StatusNoData)
	}
	if a.StepS == 0 {
		a.StepS = 1
	}
	var err error
	report.Answer, err = of.history.Answer(history.Query{SinceS: a.SinceS, StepS: int(a.StepS), Limit: int(a.Limit)})
	if err != nil {
		err = fmt.Errorf("%w: %w", err, ubus.StatusInvalidArgument)
	}
	return report, err
}

// plan is about the files as they are now, which may not be in force yet.
func (c *core) plan(device string) (PlanReport, error) {
	if err := c.connect(); err != nil {
		return PlanReport{}, err
	}
	fresh := c.config
	if text, err := uci.ReadFile(c.options.SQM); err == nil {
		fresh.take(c.parse(text), c.config.queues)
	}
	engine := *c.engine
	engine.RespectRates = false // as sqmd apply
	units, groups, err := engine.Units(fresh.inForce(), "")
	if err != nil {
		c.reopen = true
		return PlanReport{}, err
	}
	if device != "" {
		units = slices.DeleteFunc(units, func(u shaping.Unit) bool {
			return u.Device != device && !slices.Contains(u.Sections(), device)
		})
		if len(units) == 0 {
			return PlanReport{}, fmt.Errorf("%w: %w", errNoDevice, ubus.StatusNotFound)
		}
	}
	report, err := Plan(&engine, units)
	report.Findings = lines(fresh.read.Findings, groups)
	c.reopen = c.reopen || err != nil
	return report, err
}

// CheckReport is the answer of check: the findings in the files as they are now.
type CheckReport struct {
	Errors   int            `json:"errors"`
	Findings []CheckFinding `json:"findings"`
}

// CheckFinding is a [uci.Finding], in pieces and as a line.
type CheckFinding struct {
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Section  string `json:"section,omitempty"`
	Option   string `json:"option,omitempty"`
	Problem  string `json:"problem"`
	Accepted string `json:"accepted,omitempty"`
	Text     string `json:"text"`
}

func (c *core) check() (CheckReport, error) {
	findings, err := Check(c.options.SQM, c.options.SQMD)
	if err != nil {
		return CheckReport{}, err
	}
	report := CheckReport{Findings: []CheckFinding{}}
	for _, f := range findings {
		if f.Severity >= uci.Error {
			report.Errors++
		}
		report.Findings = append(report.Findings, CheckFinding{Severity: f.Severity.String(), File: f.File, Line: f.Line,
			Section: f.Section, Option: f.Option, Problem: f.Problem, Accepted: f.Accepted, Text: f.String()})
	}
	return report, nil
}

// ReloadReport is the answer of reload, after the kernel was brought to the new
// configuration. Findings are as in [Report].
type ReloadReport struct {
	Shaped   bool     `json:"shaped"`
	Findings []string `json:"findings,omitempty"`
}

// reload reads the configuration. What failed, was left to others or stopped by
// hand is tried anew, on one device or with "" on all.
func (c *core) reload(now time.Duration, device string) (ReloadReport, error) {
	if device != "" {
		q := c.named(device)
		if q == nil {
			return ReloadReport{}, fmt.Errorf("%w: %w", errNoDevice, ubus.StatusNotFound)
		}
		device = q.device
	}
	if c.read(now, "asked to reload") {
		c.startOver(now, device)
	}
	c.reconcile(now)
	r, err := c.report(now)
	return ReloadReport{r.Shaped, r.Findings}, err
}

// named is the queue of a device, or of a section; nil for none.
func (c *core) named(name string) *queue {
	if q := c.queues[name]; q != nil {
		return q
	}
	for _, q := range c.queues {
		if slices.Contains(q.unit.Sections(), name) {
			return q
		}
	}
	return nil
}

// uptime is how long the machine has run, in seconds.
func (c *core) uptime(now time.Duration) int64 { return c.options.Uptime + int64(now/time.Second) }

// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// vocabulary is what can be asked for.
type vocabulary struct{ names, labels map[string]bool }

// emitted is what all the reports of the tests have together.
func emitted(t *testing.T) vocabulary {
	t.Helper()
	v := vocabulary{map[string]bool{}, map[string]bool{}}
	for _, r := range reports() {
		for _, s := range checked(t, r).series {
			v.names[s.name] = true
			for l := range s.labels {
				v.labels[l] = true
			}
		}
	}
	return v
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var metricName = regexp.MustCompile(`\bsqmd_[a-z_]+`)

// TestContribKnowsItsMetrics holds that what is asked for is also written.
func TestContribKnowsItsMetrics(t *testing.T) {
	known := emitted(t).names
	for _, path := range []string{
		"../contrib/grafana/sqmd.json", "../contrib/prometheus/sqmd-alerts.yml", "../contrib/collectd/sqmd-collectd.sh", "../docs/monitoring.md",
	} {
		asked := metricName.FindAllString(read(t, path), -1)
		if len(asked) == 0 {
			t.Errorf("%s asks for no metric", path)
		}
		for _, name := range asked {
			if !known[name] {
				t.Errorf("%s asks for %s, which does not exist", path, name)
			}
		}
	}
}

// TestGuideNamesAll holds that the table of the guide is whole.
func TestGuideNamesAll(t *testing.T) {
	guide := read(t, "../docs/monitoring.md")
	for name := range emitted(t).names {
		if !strings.Contains(guide, "`"+name+"`") {
			t.Errorf("docs/monitoring.md does not have %s", name)
		}
	}
}

// dashboard is of Grafana's dashboard what can be wrong.
type dashboard struct {
	Inputs        []struct{ Name, PluginID string } `json:"__inputs"`
	SchemaVersion int                               `json:"schemaVersion"`
	Templating    struct {
		List []struct {
			Name, Type string
			Datasource source
		}
	}
	Panels []struct {
		ID         int
		Type       string
		Title      string
		Datasource source
		GridPos    struct{ X, Y, W, H int }
		Targets    []struct {
			RefID, Expr, LegendFormat string
			Datasource                source
		}
	}
}

type source struct{ Type, UID string }

func loadDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, "../contrib/grafana/sqmd.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDashboardAsksItsSource holds that the dashboard can be imported where the
// source has another name, and that nothing on it asks another source.
func TestDashboardAsksItsSource(t *testing.T) {
	const prometheus = "${DS_PROMETHEUS}"
	d := loadDashboard(t)
	if len(d.Inputs) != 1 || d.Inputs[0].Name != "DS_PROMETHEUS" || d.Inputs[0].PluginID != "prometheus" || d.SchemaVersion < 36 {
		t.Errorf("inputs %v, schema %d", d.Inputs, d.SchemaVersion)
	}
	want := source{"prometheus", prometheus}
	for _, v := range d.Templating.List {
		if v.Type == "query" && v.Datasource != want {
			t.Errorf("variable %s asks %v", v.Name, v.Datasource)
		}
	}
	for _, p := range d.Panels {
		if p.Type == "row" {
			continue
		}
		if p.Datasource != want || len(p.Targets) == 0 {
			t.Errorf("panel %q asks %v %d times", p.Title, p.Datasource, len(p.Targets))
		}
		for _, q := range p.Targets {
			if q.Datasource != want {
				t.Errorf("query %s of %q asks %v", q.RefID, p.Title, q.Datasource)
			}
		}
	}
}

// TestDashboardLayout holds that panels have ids of their own and do not cover
// each other.
func TestDashboardLayout(t *testing.T) {
	type cell struct{ x, y int }
	taken, ids := map[cell]string{}, map[int]string{}
	for _, p := range loadDashboard(t).Panels {
		if other, twice := ids[p.ID]; twice {
			t.Errorf("%q has the id of %q", p.Title, other)
		}
		ids[p.ID] = p.Title
		if g := p.GridPos; g.W < 1 || g.H < 1 || g.X < 0 || g.X+g.W > 24 {
			t.Errorf("%q is at %v", p.Title, g)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[cell{x, y}]; other != "" {
					t.Fatalf("%q covers %q", p.Title, other)
				}
				taken[cell{x, y}] = p.Title
			}
		}
	}
}

var (
	matcher  = regexp.MustCompile(`([a-z_]+)=~?"`)
	grouping = regexp.MustCompile(`\bby \(([a-z_, ]+)\)`)
	legend   = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)
)

// TestDashboardLabels holds that queries and legends use labels that exist.
func TestDashboardLabels(t *testing.T) {
	known := emitted(t).labels
	known["instance"] = true // from Prometheus
	for _, p := range loadDashboard(t).Panels {
		for _, q := range p.Targets {
			asked := append(matcher.FindAllStringSubmatch(q.Expr, -1), legend.FindAllStringSubmatch(q.LegendFormat, -1)...)
			for _, group := range grouping.FindAllStringSubmatch(q.Expr, -1) {
				for _, l := range strings.Split(group[1], ", ") {
					asked = append(asked, []string{"", l})
				}
			}
			for _, l := range asked {
				if !known[l[1]] {
					t.Errorf("query %s of %q uses the label %s, which does not exist", q.RefID, p.Title, l[1])
				}
			}
		}
	}
}

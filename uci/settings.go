// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import "slices"

// SettingsSection is the name, and the type, of the section of /etc/config/sqmd that holds the daemon's own settings.
const (
	SettingsSection = "main"
	SettingsType    = "sqmd"
)

// settings is ordered as a page would show them.
var settings = []OptionInfo{
	{Name: "enabled", Group: GroupBasic, Kind: KindFlag, Default: "1"},
}

// Settings describes all options of the section `config sqmd 'main'` of /etc/config/sqmd. It is the init script that
// acts on them.
func Settings() []OptionInfo { return slices.Clone(settings) }

// CheckSettings says what is wrong in text, which came from /etc/config/sqmd or a file like it, called name. None of
// its mistakes concerns a queue.
func CheckSettings(name string, text []byte) []Finding {
	var fs findings
	for _, s := range parse(name, text, &fs).Sections {
		if s.Type != SettingsType || s.Name != SettingsSection {
			fs.add(Finding{File: name, Line: s.Line, Type: s.Type, Section: s.Title(), Severity: Warning,
				Problem: "this section is ignored", Accepted: "config " + SettingsType + " '" + SettingsSection + "'"})
			continue
		}
		for _, o := range s.Options {
			if problem, accepted := settingProblem(o); problem != "" {
				fs.add(Finding{File: name, Line: o.Line, Type: s.Type, Section: s.Title(), Option: o.Name, Value: o.Text(),
					Severity: Warning, Problem: problem, Accepted: accepted})
			}
		}
	}
	return fs.sorted(name)
}

// settingProblem says why an option does not do what its line suggests; "" if it does.
func settingProblem(o Option) (problem, accepted string) {
	i := slices.IndexFunc(settings, func(info OptionInfo) bool { return info.Name == o.Name })
	if i < 0 {
		var names []string
		for _, info := range settings {
			names = append(names, info.Name)
		}
		return "no such option, it is ignored" + didYouMean(o.Name, names), ""
	}
	// The shell of the init script knows the words alone, no other numbers.
	if _, clean, ok := boolean(o.Text()); o.Text() != "" && !(ok && clean) {
		return "not a truth value, the default " + settings[i].Default + " is used", settings[i].Accepted()
	}
	return "", ""
}

// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"errors"
	"io/fs"

	"sqmd/shaping"
	"sqmd/uci"
)

// Check validates both configuration files; that of what is not a queue may be
// missing.
func Check(sqm, sqmd string) ([]uci.Finding, error) {
	config, err := uci.LoadSQM(sqm)
	if err != nil {
		return nil, err
	}
	findings := append(config.Findings, shaping.Check(config)...)
	text, err := uci.ReadFile(sqmd)
	switch {
	case err == nil:
		findings = append(findings, uci.CheckSettings(sqmd, text)...)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return findings, nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// files are the case files of the kinds that sqmd speaks, below tc-tests.
var files = []string{
	"qdiscs/cake.json", "qdiscs/htb.json", "qdiscs/fq_codel.json", "qdiscs/codel.json", "qdiscs/fq_pie.json",
	"qdiscs/sfq.json", "qdiscs/red.json", "qdiscs/tbf.json", "qdiscs/fifo.json", "qdiscs/mq.json", "qdiscs/ingress.json",
	"filters/matchall.json", "filters/u32.json", "filters/fw.json", "filters/flower.json", "infra/filter.json",
	"actions/mirred.json", "actions/ctinfo.json", "actions/skbedit.json", "actions/pedit.json", "actions/csum.json",
	"actions/gact.json",
}

// Load reads the cases of all our kinds from the tests' directory. When ids are given, only those cases are read, and
// one that does not exist is an error.
func Load(directory string, ids []string) ([]Case, error) {
	var all []Case
	for _, file := range files {
		cases, err := LoadCases(filepath.Join(directory, file), strings.TrimSuffix(file, ".json"))
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	if len(ids) == 0 {
		return all, nil
	}
	all = slices.DeleteFunc(all, func(c Case) bool { return !slices.Contains(ids, c.ID) })
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(c Case) bool { return c.ID == id }) {
			return nil, fmt.Errorf("there is no case %s among those of our kinds", id)
		}
	}
	return all, nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

package front

import (
	"errors"
	"fmt"

	"sqmd/tc"
)

// tc(8) ends with other codes when the kernel refuses something about actions.
const (
	exitActionRefused = 255
	exitFlushRefused  = 1
)

// actions reads what follows "actions VERB".
func (r reader) actions(verb string, w *words) (command, error) {
	c := command{refused: exitActionRefused}
	switch verb {
	case "delete":
		ids, err := readActionIDs(w)
		c.request = tc.ActionDelete(ids...)
		return c, err
	case "flush":
		ids, err := readActionIDs(w)
		if err == nil && len(ids) != 1 {
			err = errors.New("flush takes one kind of action")
		}
		if err != nil {
			return c, err
		}
		return command{request: tc.ActionFlush(ids[0].Kind), refused: exitFlushRefused}, nil
	}
	list, err := tc.ParseActionWords(w.list, r.names)
	if err != nil {
		return c, err
	}
	c.request, err = tc.ActionRequest(modes[verb], list)
	return c, err
}

// readActionIDs reads "action KIND index NUMBER" as often as it stands there, and as often without the number.
func readActionIDs(w *words) (ids []tc.ActionID, err error) {
	for err == nil {
		word, ok := w.next()
		switch {
		case !ok:
			return ids, nil
		case word == "action":
			ids = append(ids, tc.ActionID{})
			err = take(w, &ids[len(ids)-1].Kind, readText)
		case word == "index" && len(ids) > 0:
			err = take(w, &ids[len(ids)-1].Index, readU32)
		default:
			err = fmt.Errorf("unknown word %q", word)
		}
	}
	return nil, err
}

// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// Actions can also live by themselves (tc-actions(8)) and be shared by filters
// that name their index.

const (
	tcamsgSize = 4 // struct tcamsg, linux/rtnetlink.h: u8 family, 3 pad
	tcaActTab  = 1 // TCA_ACT_TAB
)

// ActionID names an action by kind and index, as it lives in a network
// namespace.
type ActionID struct {
	Kind  string
	Index uint32
}

// ActionRequest asks for actions outside of any filter.
func ActionRequest(mode Mode, list Actions) (Request, error) {
	e := actionMessage()
	err := list.encode(e, tcaActTab)
	return Request{unix.RTM_NEWACTION, uint16(mode), e.buf}, err
}

// ActionDelete removes actions, at most 32. The kernel refuses while a filter
// has one of them.
func ActionDelete(list ...ActionID) Request {
	e := actionMessage()
	e.nest(tcaActTab, func() {
		for i, id := range list {
			e.nest(uint16(i+1), func() {
				e.str(actKind, id.Kind)
				e.u32(actIndex, id.Index)
			})
		}
	})
	return Request{unix.RTM_DELACTION, 0, e.buf}
}

// ActionFlush removes all actions of a kind that no filter has.
func ActionFlush(kind string) Request {
	e := actionMessage()
	e.nest(tcaActTab, func() {
		e.nest(1, func() { e.str(actKind, kind) })
	})
	return Request{unix.RTM_DELACTION, unix.NLM_F_ROOT, e.buf}
}

func actionMessage() *encoder {
	e := newEncoder(binary.NativeEndian)
	e.buf = make([]byte, tcamsgSize, 256)
	return e
}

// ParseActionWords reads a list of actions, each beginning with the word
// "action"; names resolves devices that they point to.
func ParseActionWords(list []string, names Names) (Actions, error) {
	var actions Actions
	w := &words{list: list, names: names}
	for w.more() && w.peek() == "action" {
		w.next()
		if err := actions.parse(w); err != nil {
			return nil, err
		}
	}
	switch {
	case w.more():
		return nil, &UnknownWordError{Kind: "action", Word: w.peek(), Nearest: nearest(w.peek(), w.known)}
	case len(actions) == 0:
		return nil, errors.New("no action")
	}
	return actions, nil
}

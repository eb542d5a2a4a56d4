// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Table is a set of named values, the arguments and replies of ubus methods.
// The types of the wire (blobmsg) and of Go belong together like this:
//
//	wire                     read as   written from
//	string                   string    string without NUL bytes
//	bool (int8, 0 is false)  bool      bool
//	int16                    int16     int16
//	int32                    int32     int32, int8, uint8, uint16, int that fits
//	int64                    int64     int64, uint32, uint64 up to MaxInt64, int
//	double                   float64   float64
//	table                    Table     Table, map[string]any
//	array                    []any     []any
//	null                     nil       nil
//
// Fields are written in the order of their names; of two fields that arrive
// with one name the first counts, as in libubox. A table may be nested 32 deep
// and hold 16384 values in all; more is an error when written and when read.
type Table map[string]any

// Int returns the integer field name whatever its width on the wire, and false
// where there is none. Numbers that C programs send as unsigned 32 bits come out
// negative above MaxInt32, because the wire does not tell them from signed ones.
func (t Table) Int(name string) (int64, bool) {
	switch v := t[name].(type) {
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// TableOf makes a table of v by way of its JSON form, so that a struct shows the
// same field names on the bus and in JSON. Integers become int32 or int64 by
// their size, as libubox does; other numbers become float64. It is an error if v
// is not a JSON object or holds an integer beyond 64 bits.
func TableOf(v any) (Table, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("make a ubus table: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("make a ubus table: %w", err)
	}
	if object == nil {
		return nil, errors.New("make a ubus table: null is not an object")
	}
	table, err := fromJSON(object)
	if err != nil {
		return nil, fmt.Errorf("make a ubus table: %w", err)
	}
	return table.(Table), nil
}

// fromJSON turns what encoding/json reads into the types of a Table.
func fromJSON(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case map[string]any:
		table := make(Table, len(v))
		for name, field := range v {
			if table[name], err = fromJSON(field); err != nil {
				return nil, fmt.Errorf("field %q: %w", name, err)
			}
		}
		return table, nil
	case []any:
		for i, element := range v {
			if v[i], err = fromJSON(element); err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
		}
		return v, nil
	case json.Number:
		return number(v.String())
	}
	return v, nil
}

func number(text string) (any, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return narrow(v), nil
	}
	if errors.Is(err, strconv.ErrRange) {
		return nil, fmt.Errorf("%s does not fit 64 bits", text)
	}
	return strconv.ParseFloat(text, 64)
}

// narrow gives an integer the width that libubox would choose for it.
func narrow(v int64) any {
	if v >= math.MinInt32 && v <= math.MaxInt32 {
		return int32(v)
	}
	return v
}

// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// encode returns the fields of t without an attribute around them.
func encode(t testing.TB, table Table) []byte {
	t.Helper()
	b, err := appendTableAttr(nil, attrData, table)
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := nextAttr(b)
	if err != nil {
		t.Fatal(err)
	}
	return a.payload
}

func TestGoTypes(t *testing.T) {
	for _, c := range []struct{ written, read any }{
		{nil, nil},
		{true, true},
		{false, false},
		{"", ""},
		{"wan", "wan"},
		{int16(-2), int16(-2)},
		{int32(math.MinInt32), int32(math.MinInt32)},
		{int64(math.MinInt64), int64(math.MinInt64)},
		{int64(1), int64(1)},
		{int8(-1), int32(-1)},
		{uint8(255), int32(255)},
		{uint16(65535), int32(65535)},
		{uint32(1), int64(1)},
		{uint32(math.MaxUint32), int64(math.MaxUint32)},
		{uint64(math.MaxInt64), int64(math.MaxInt64)},
		{95000, int32(95000)},
		{-95000, int32(-95000)},
		{0.25, 0.25},
		{math.Inf(-1), math.Inf(-1)},
		{Table{}, Table{}},
		{Table(nil), Table{}},
		{map[string]any{"a": 1}, Table{"a": int32(1)}},
		{[]any{}, []any{}},
		{[]any{1, "x", nil, []any{true}}, []any{int32(1), "x", nil, []any{true}}},
	} {
		got, err := decodeTable(encode(t, Table{"v": c.written}))
		if diff := cmp.Diff(Table{"v": c.read}, got); err != nil || diff != "" {
			t.Errorf("%T %v: %v %s", c.written, c.written, err, diff)
		}
	}
}

// nest returns a table in which the deepest of n tables holds "v".
func nest(n int) Table {
	t := Table{"v": 1}
	for range n - 1 {
		t = Table{"t": t}
	}
	return t
}

func TestEncodeRefuses(t *testing.T) {
	loop := Table{}
	loop["again"] = loop
	for _, c := range []struct {
		name  string
		table Table
		want  error
	}{
		{"NUL in a string", Table{"s": "a\x00b"}, errNUL},
		{"NUL in a name", Table{"a\x00b": 1}, errNUL},
		{"long name", Table{strings.Repeat("n", maxName+1): 1}, errLong},
		{"uint64 above int64", Table{"n": uint64(math.MaxInt64 + 1)}, errUint64},
		{"struct", Table{"x": struct{}{}}, errUnknown},
		{"deep in an array", Table{"l": []any{1, Table{"x": []string{"a"}}}}, errUnknown},
		{"33 deep", nest(33), errDeep},
		{"endless", loop, errDeep},
		{"too many values", Table{"l": make([]any, maxValues)}, errMany},
		{"string above 1 MiB", Table{"s": strings.Repeat("x", maxBlob)}, errTooLarge},
		{"strings above 1 MiB", Table{"a": strings.Repeat("x", maxBlob/2), "b": strings.Repeat("x", maxBlob/2)}, errTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := appendTableAttr(nil, attrData, c.table); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

func TestEncodeErrorNamesTheField(t *testing.T) {
	_, err := appendTableAttr(nil, attrData, Table{"queues": []any{Table{}, Table{"rate": 1i}}})
	want := `field "queues": element 1: field "rate": complex128: go type has no counterpart on ubus`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestLimitsAreReached(t *testing.T) {
	for name, table := range map[string]Table{
		"32 deep":    nest(32),
		"all values": {"l": make([]any, maxValues-1)},
		"long name":  {strings.Repeat("n", maxName): int32(1)},
	} {
		if _, err := decodeTable(encode(t, table)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name string
		hex  string
		want Table
	}{
		{"nothing", "", Table{}},
		{"bool that is 2", "87000009 00016600 02000000", Table{"f": true}},
		{"null with a payload", "8000000c 00016e00 00000001", Table{"n": nil}},
		{"empty name", "8500000c 00000000 00000001", Table{"": int32(1)}},
		{"first of two counts", "8500000c 00016100 00000001 8500000c 00016100 00000002", Table{"a": int32(1)}},
		{"string ends at its first NUL", "8300000c 00017300 61006200", Table{"s": "a"}},
		{"names in an array do not count", "81000014 00016c00 8500000c 00016100 00000001", Table{"l": []any{int32(1)}}},
		{"dirty padding", "87000009 00016600 01ffffff", Table{"f": true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := decodeTable(unhex(t, c.hex))
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecodeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no name":                    "05000008 00000001",
		"no room for a name":         "85000005 00000000",
		"name beyond the end":        "8500000c 00ff6100 00000001",
		"name of 65535 bytes":        "8500000c ffff6100 00000001",
		"name without NUL":           "8500000c 00016161 00000001",
		"NUL in a name":              "85000010 00026100 00000000 00000001",
		"int32 of 3 bytes":           "8500000b 00016e00 00000000",
		"int32 of 8 bytes":           "85000010 00016e00 0000000000000001",
		"int16 of 4 bytes":           "8600000c 00016e00 00000001",
		"int64 of 4 bytes":           "8400000c 00016e00 00000001",
		"double of 4 bytes":          "8800000c 00016e00 00000001",
		"bool of 0 bytes":            "87000008 00016600",
		"string without NUL":         "8300000c 00017300 61616161",
		"empty string without NUL":   "83000008 00017300",
		"type 9":                     "8900000c 00017800 00000001",
		"length beyond the end":      "8500000d 00016e00 00000001",
		"length 16 MiB":              "85ffffff 00016e00 00000001",
		"length below the head":      "85000003",
		"half a head":                "8500",
		"malformed field of a table": "82000010 00017400 85000008 00000001",
		"no padding at the end":      "87000009 00016600 01",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := decodeTable(unhex(t, text)); !errors.Is(err, errMalformed) {
				t.Errorf("read %v, error %v", got, err)
			}
		})
	}
}

func TestDecodeIsBounded(t *testing.T) {
	var deep []byte
	for range maxDepth {
		b := unhex(t, "82000000 00000000")
		binary.BigEndian.PutUint32(b, attrNamed|uint32(TypeTable)<<attrIDShift|uint32(len(b)+len(deep)))
		deep = append(b, deep...)
	}
	if _, err := decodeTable(deep); err != nil {
		t.Errorf("32 deep: %v", err)
	}
	deeper := unhex(t, "82000000 00000000 8500000c 00000000 00000001")
	binary.BigEndian.PutUint32(deeper, attrNamed|uint32(TypeTable)<<attrIDShift|uint32(len(deeper)))
	for range maxDepth - 1 {
		b := unhex(t, "82000000 00000000")
		binary.BigEndian.PutUint32(b, attrNamed|uint32(TypeTable)<<attrIDShift|uint32(len(b)+len(deeper)))
		deeper = append(b, deeper...)
	}
	if _, err := decodeTable(deeper); err != errDeep {
		t.Errorf("33 deep: %v, want %v", err, errDeep)
	}
	null := string(unhex(t, "80000008 00000000"))
	if _, err := decodeTable([]byte(strings.Repeat(null, maxValues))); err != nil {
		t.Errorf("%d values: %v", maxValues, err)
	}
	if _, err := decodeTable([]byte(strings.Repeat(null, maxValues+1))); err != errMany {
		t.Errorf("%d values: %v, want %v", maxValues+1, err, errMany)
	}
}

func TestTableInt(t *testing.T) {
	table := Table{"a": int16(-1), "b": int32(2), "c": int64(3), "d": "4", "e": 5.0}
	for name, want := range map[string]int64{"a": -1, "b": 2, "c": 3} {
		if got, ok := table.Int(name); !ok || got != want {
			t.Errorf("%s: %d %v, want %d", name, got, ok, want)
		}
	}
	for _, name := range []string{"d", "e", "absent"} {
		if got, ok := table.Int(name); ok {
			t.Errorf("%s: %d, want none", name, got)
		}
	}
}

func TestTableOf(t *testing.T) {
	type queue struct {
		Device   string   `json:"device"`
		RateKbit int      `json:"rate_kbit"`
		Bytes    uint64   `json:"sent_bytes"`
		Load     float64  `json:"load"`
		Notes    []string `json:"notes"`
		Hidden   string   `json:"-"`
		Marks    *int     `json:"marks"`
	}
	got, err := TableOf(map[string]any{"queues": []queue{{"eth0", 95000, 5e9, 0.5, []string{"a"}, "x", nil}}, "n": -1 << 31, "m": int64(1 << 31)})
	want := Table{
		"n": int32(math.MinInt32),
		"m": int64(1 << 31),
		"queues": []any{Table{
			"device": "eth0", "rate_kbit": int32(95000), "sent_bytes": int64(5e9), "load": 0.5,
			"notes": []any{"a"}, "marks": nil,
		}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for name, v := range map[string]any{
		"array":          []int{1},
		"null":           nil,
		"channel":        map[string]any{"c": make(chan int)},
		"uint64":         map[string]any{"n": uint64(math.MaxUint64)},
		"uint64 in list": map[string]any{"l": []uint64{math.MaxUint64}},
	} {
		if got, err := TableOf(v); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

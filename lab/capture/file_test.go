// SPDX-License-Identifier: GPL-2.0-or-later

package capture

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var somePackets = []Packet{
	{At: 1700000000*time.Second + 123456789, Length: 1514, Data: []byte{1, 2, 3, 4, 5, 6}},
	{At: 1700000001 * time.Second, Length: 0, Data: []byte{}},
}

// file makes a file as other programs do, in a byte order and with a unit of time.
func file(order binary.AppendByteOrder, magic uint32, unit time.Duration, link uint32, packets []Packet) []byte {
	text := order.AppendUint32(nil, magic)
	text = order.AppendUint16(text, 2)
	text = order.AppendUint16(text, 4)
	text = append(text, make([]byte, 8)...)
	text = order.AppendUint32(text, 65535)
	text = order.AppendUint32(text, link)
	for _, p := range packets {
		text = order.AppendUint32(text, uint32(p.At/time.Second))
		text = order.AppendUint32(text, uint32(p.At%time.Second/unit))
		text = order.AppendUint32(text, uint32(len(p.Data)))
		text = order.AppendUint32(text, uint32(p.Length))
		text = append(text, p.Data...)
	}
	return text
}

func TestWriteGolden(t *testing.T) {
	const want = "4d3cb2a1" + "0200" + "0400" + "00000000" + "00000000" + "00000400" + "01000000" +
		"00f15365" + "15cd5b07" + "06000000" + "ea050000" + "010203040506" +
		"01f15365" + "00000000" + "00000000" + "00000000"
	var got bytes.Buffer
	if err := Write(&got, somePackets); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, hex.EncodeToString(got.Bytes())); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestRead(t *testing.T) {
	coarse := []Packet{{At: somePackets[0].At.Truncate(time.Microsecond), Length: 1514, Data: []byte{1, 2, 3, 4, 5, 6}}, somePackets[1]}
	for name, test := range map[string]struct {
		file []byte
		want []Packet
	}{
		"little-endian":           {file(binary.LittleEndian, magicNanoseconds, time.Nanosecond, 1, somePackets), somePackets},
		"big-endian":              {file(binary.BigEndian, magicNanoseconds, time.Nanosecond, 1, somePackets), somePackets},
		"microseconds":            {file(binary.LittleEndian, magicMicroseconds, time.Microsecond, 1, somePackets), coarse},
		"big-endian microseconds": {file(binary.BigEndian, magicMicroseconds, time.Microsecond, 1, somePackets), coarse},
		"with checksums":          {file(binary.LittleEndian, magicNanoseconds, time.Nanosecond, 0x14000001, nil), nil},
	} {
		got, err := Read(bytes.NewReader(test.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := file(binary.BigEndian, magicNanoseconds, time.Nanosecond, 1, somePackets)
	spoilt := func(at int, value byte) []byte {
		text := bytes.Clone(good)
		text[at] = value
		return text
	}
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":                  {nil, "read header"},
		"another format":           {spoilt(0, 0), "not the beginning of a pcap file"},
		"another version":          {spoilt(5, 3), "version 3"},
		"another link":             {spoilt(23, 101), "link type 101"},
		"a packet that is long":    {spoilt(headerSize+8, 1), "more than"},
		"a time beyond its second": {spoilt(headerSize+4, 0xff), "fraction"},
		"a packet without data":    {good[:headerSize+recordSize+3], "read packet 1: its data"},
		"a packet's half header":   {good[:headerSize+7], "read packet 1: unexpected EOF"},
	} {
		if _, err := Read(bytes.NewReader(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(binary.LittleEndian, magicNanoseconds, time.Nanosecond, 1, somePackets))
	f.Add(file(binary.BigEndian, magicMicroseconds, time.Microsecond, 1, somePackets))
	f.Fuzz(func(t *testing.T, text []byte) {
		packets, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var written bytes.Buffer
		if err := Write(&written, packets); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&written)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(packets, again); diff != "" {
			t.Errorf("read, written and read again (-first +second):\n%s", diff)
		}
	})
}

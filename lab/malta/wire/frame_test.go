// SPDX-License-Identifier: GPL-2.0-or-later

package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFrames(t *testing.T) {
	var sent bytes.Buffer
	s := NewSender(&sent)
	long := bytes.Repeat([]byte("0123456789"), maxData/10+1)
	for _, f := range []Frame{{Started, nil}, {Stderr, []byte("a\n")}, {Exited, []byte("3")}} {
		if err := s.Send(f.Kind, f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Writer(Stdout).Write(long); n != len(long) || err != nil {
		t.Fatalf("wrote %d of %d bytes: %v", n, len(long), err)
	}
	want := []Frame{{Started, []byte{}}, {Stderr, []byte("a\n")}, {Exited, []byte("3")}, {Stdout, long[:maxData]}, {Stdout, long[maxData:]}}
	for _, w := range want {
		got, err := Read(&sent)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(w, got); d != "" {
			t.Fatalf("frame (-sent +read):\n%s", d)
		}
	}
	if _, err := Read(&sent); err != io.EOF {
		t.Errorf("after the last frame: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"cut head": {"o\x00\x00", io.ErrUnexpectedEOF},
		"no data":  {"o\x00\x00\x00\x01", io.ErrUnexpectedEOF},
		"cut data": {"o\x00\x00\x00\x02a", io.ErrUnexpectedEOF},
	} {
		if _, err := Read(bytes.NewReader([]byte(test.text))); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(bytes.NewReader([]byte("o\xff\xff\xff\xff"))); err == nil {
		t.Error("took a frame of 4 GB")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("o\x00\x00\x00\x02ab"))
	f.Add([]byte("x\x00\x00\x00\x011s\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := bytes.NewReader(text)
		for {
			frame, err := Read(r)
			if err != nil {
				return
			}
			var again bytes.Buffer
			if err := NewSender(&again).Send(frame.Kind, frame.Data); err != nil {
				t.Fatal(err)
			}
			if got, err := Read(&again); err != nil || !cmp.Equal(frame, got) {
				t.Fatalf("%v became %v, %v", frame, got, err)
			}
		}
	})
}

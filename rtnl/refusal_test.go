// SPDX-License-Identifier: GPL-2.0-or-later

package rtnl

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// answer is an errno, and the parts behind it.
func answer(order binary.ByteOrder, errno syscall.Errno, parts ...[]byte) []byte {
	b := make([]byte, 4)
	order.PutUint32(b, uint32(-int32(errno)))
	return append(b, slices.Concat(parts...)...)
}

func TestAcknowledged(t *testing.T) {
	const tlvs, capped = unix.NLM_F_ACK_TLVS, unix.NLM_F_ACK_TLVS | unix.NLM_F_CAPPED
	for _, order := range bothOrders {
		text := AppendAttribute(order, AppendUint32(order, nil, 2, 16), attributeMessage, []byte("no such thing\x00"))
		head := make([]byte, unix.SizeofNlMsghdr)
		whole := appendRequest(order, nil, Request{Type: unix.RTM_NEWLINK, Body: []byte("seven b")}, 0, 1)
		lying := slices.Clone(whole)
		order.PutUint32(lying, 0xffffffff)
		withText := &KernelError{syscall.ENODEV, "no such thing"}
		without := &KernelError{Errno: syscall.ENODEV}

		for name, c := range map[string]struct {
			typ, flags uint16
			body       []byte
			want       error
		}{
			"success":                   {unix.NLMSG_ERROR, unix.NLM_F_CAPPED, answer(order, 0, head), nil},
			"end of a list":             {unix.NLMSG_DONE, 0, answer(order, 0), nil},
			"end of a list, old kernel": {unix.NLMSG_DONE, 0, nil, nil},
			"failed list":               {unix.NLMSG_DONE, tlvs, answer(order, syscall.ENODEV, text), withText},
			"without text":              {unix.NLMSG_ERROR, unix.NLM_F_CAPPED, answer(order, syscall.ENODEV, head), without},
			"text behind the head":      {unix.NLMSG_ERROR, capped, answer(order, syscall.ENODEV, head, text), withText},
			"text behind the request":   {unix.NLMSG_ERROR, tlvs, answer(order, syscall.ENODEV, whole, text), withText},
			"cut text":                  {unix.NLMSG_ERROR, capped, answer(order, syscall.ENODEV, head, text[:len(text)-4]), without},
			"cut head":                  {unix.NLMSG_ERROR, capped, answer(order, syscall.ENODEV, head[:3]), without},
			"length that lies":          {unix.NLMSG_ERROR, tlvs, answer(order, syscall.ENODEV, lying, text), without},
		} {
			got := acknowledged(order, syscall.NlMsghdr{Type: c.typ, Flags: c.flags}, c.body)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s, %s (-want +got):\n%s", order, name, d)
			}
		}
	}
}

func TestKernelErrorText(t *testing.T) {
	for want, err := range map[string]error{
		"no such device":                    &KernelError{Errno: syscall.ENODEV},
		"Device is gone (no such device)":   &KernelError{syscall.ENODEV, "Device is gone"},
		"Link not found (invalid argument)": &KernelError{syscall.EINVAL, "Link not found"},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if err := error(&KernelError{syscall.EEXIST, "x"}); !errors.Is(err, syscall.EEXIST) || errors.Is(err, syscall.ENODEV) {
		t.Errorf("%v is not EEXIST only", err)
	}
}

func FuzzAcknowledged(f *testing.F) {
	head := make([]byte, unix.SizeofNlMsghdr)
	text := AppendAttribute(binary.LittleEndian, nil, attributeMessage, []byte("text\x00"))
	f.Add(uint16(unix.NLMSG_ERROR), uint16(unix.NLM_F_ACK_TLVS|unix.NLM_F_CAPPED), answer(binary.LittleEndian, syscall.EPERM, head, text))
	f.Add(uint16(unix.NLMSG_ERROR), uint16(unix.NLM_F_ACK_TLVS), answer(binary.LittleEndian, syscall.EPERM, head))
	f.Add(uint16(unix.NLMSG_DONE), uint16(unix.NLM_F_ACK_TLVS), answer(binary.LittleEndian, syscall.EPERM, text))
	f.Fuzz(func(t *testing.T, typ, flags uint16, b []byte) {
		for _, order := range bothOrders {
			err := acknowledged(order, syscall.NlMsghdr{Type: typ, Flags: flags}, b)
			if failed := Uint32(order, b) != 0; failed != (err != nil) {
				t.Errorf("%s: errno %d gives %v", order, int32(Uint32(order, b)), err)
			}
			if err != nil && strings.ContainsRune(err.Error(), 0) {
				t.Errorf("%s: zero byte in %q", order, err)
			}
		}
	})
}

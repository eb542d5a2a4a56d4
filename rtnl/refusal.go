// SPDX-License-Identifier: GPL-2.0-or-later

package rtnl

import (
	"encoding/binary"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributeMessage is the kernel's text in an acknowledgement
// (NLMSGERR_ATTR_MSG, linux/netlink.h).
const attributeMessage = 1

// KernelError is the kernel's refusal of a request.
type KernelError struct {
	Errno   syscall.Errno
	Message string // extended acknowledgement text, "" when the kernel gave none
}

// Error is the kernel's own message, with the errno.
func (e *KernelError) Error() string {
	if e.Message == "" {
		return e.Errno.Error()
	}
	return e.Message + " (" + e.Errno.Error() + ")"
}

// Unwrap gives the errno, so that errors.Is(err, syscall.ENOENT) works.
func (e *KernelError) Unwrap() error { return e.Errno }

// acknowledged reads an NLMSG_ERROR or NLMSG_DONE: s32 errno, negative or 0 for
// success; in the former the request's header and, without NETLINK_CAP_ACK, its
// body; then attributes. What is too short to hold an errno is a success, as the
// NLMSG_DONE of old kernels is.
func acknowledged(order binary.ByteOrder, header syscall.NlMsghdr, b []byte) error {
	errno := syscall.Errno(-int32(Uint32(order, b)))
	if errno == 0 {
		return nil
	}
	refusal := &KernelError{Errno: errno}
	if header.Flags&unix.NLM_F_ACK_TLVS == 0 {
		return refusal
	}
	b = b[4:]
	if header.Type == unix.NLMSG_ERROR {
		b = behindRequest(order, header.Flags, b)
	}
	// A broken text only makes the message poorer.
	_ = Attributes(order, b, func(typ uint16, payload []byte) error {
		if typ == attributeMessage {
			refusal.Message = Text(payload)
		}
		return nil
	})
	return refusal
}

// behindRequest is what follows the request in b.
func behindRequest(order binary.ByteOrder, flags uint16, b []byte) []byte {
	size := uint64(unix.SizeofNlMsghdr)
	if flags&unix.NLM_F_CAPPED == 0 {
		size = (uint64(Uint32(order, b)) + 3) &^ 3
	}
	return b[min(size, uint64(len(b))):]
}

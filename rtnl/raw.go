// SPDX-License-Identifier: GPL-2.0-or-later

package rtnl

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The two system calls of an exchange are raw: the scheduler is not told of them.
// They do not wait for a message, and telling it would wake its watchdog thread,
// which then wakes every few microseconds to see whether the call is over. A daemon
// asks each second; that thread would be most of what it costs.

// sendRaw sends to the kernel. The error is an errno, EAGAIN when there is no room.
func sendRaw(fd uintptr, out []byte) error {
	to := unix.RawSockaddrNetlink{Family: unix.AF_NETLINK, Pid: kernelPort}
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, fd, uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(len(out)),
			unix.MSG_DONTWAIT, uintptr(unsafe.Pointer(&to)), unsafe.Sizeof(to))
		if errno != unix.EINTR {
			return result(errno)
		}
	}
}

// receiveRaw takes one datagram and tells its size, which can be more than there is
// room for, and the port that it is from. The error is an errno, EAGAIN when there
// is none.
func receiveRaw(fd uintptr, datagram []byte) (n int, port uint32, err error) {
	for {
		var from unix.RawSockaddrNetlink
		size := uint32(unsafe.Sizeof(from)) // socklen_t
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(unsafe.SliceData(datagram))), uintptr(len(datagram)),
			unix.MSG_DONTWAIT|unix.MSG_TRUNC, uintptr(unsafe.Pointer(&from)), uintptr(unsafe.Pointer(&size)))
		if errno != unix.EINTR {
			return int(n), from.Pid, result(errno)
		}
	}
}

func result(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

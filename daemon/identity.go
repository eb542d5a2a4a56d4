// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// identity tells one content of a file from another without reading it.
type identity struct {
	inode, size       uint64
	modified, changed unix.StatxTimestamp
	exists, strange   bool
}

// identify asks with statx(2), raw because it is asked each second; see [alarm].
func identify(path string) identity {
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return identity{strange: true}
	}
	var s unix.Statx_t
	at := unix.AT_FDCWD // not the constant, which is negative
	_, _, errno := unix.RawSyscall6(unix.SYS_STATX, uintptr(at), uintptr(unsafe.Pointer(name)), 0, unix.STATX_BASIC_STATS, uintptr(unsafe.Pointer(&s)), 0)
	switch errno {
	case 0:
		return identity{inode: s.Ino, size: s.Size, modified: s.Mtime, changed: s.Ctime, exists: true}
	case unix.ENOENT:
		return identity{}
	case unix.ENOSYS, unix.EPERM: // a kernel, or a jail, that knows only stat(2)
		return identifyByStat(path)
	}
	return identity{strange: true}
}

func identifyByStat(path string) identity {
	var s unix.Stat_t
	switch err := unix.Stat(path, &s); err {
	case nil:
		return identity{inode: uint64(s.Ino), size: uint64(s.Size), exists: true,
			modified: unix.StatxTimestamp{Sec: int64(s.Mtim.Sec), Nsec: uint32(s.Mtim.Nsec)},
			changed:  unix.StatxTimestamp{Sec: int64(s.Ctim.Sec), Nsec: uint32(s.Ctim.Nsec)}}
	case unix.ENOENT:
		return identity{}
	}
	return identity{strange: true}
}

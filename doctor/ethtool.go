// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ethtoolValue is struct ethtool_value of linux/ethtool.h.
type ethtoolValue struct{ command, data uint32 }

// ethtoolRequest is struct ifreq of linux/if.h with a pointer in its union.
type ethtoolRequest struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [24 - unsafe.Sizeof(uintptr(0))]byte
}

// ReadOffloads asks the kernel which offloads of a device are on. One that the
// device does not know is off.
func ReadOffloads(device string) (Offloads, error) {
	if len(device) >= unix.IFNAMSIZ {
		return Offloads{}, fmt.Errorf("read offloads of %s: %w", device, unix.ENODEV)
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return Offloads{}, fmt.Errorf("read offloads of %s: %w", device, err)
	}
	defer unix.Close(socket)
	var o Offloads
	for _, q := range []struct {
		command uint32
		on      *bool
	}{{unix.ETHTOOL_GTSO, &o.TSO}, {unix.ETHTOOL_GGSO, &o.GSO}, {unix.ETHTOOL_GGRO, &o.GRO}} {
		if *q.on, err = ethtool(socket, device, q.command); err != nil {
			return Offloads{}, fmt.Errorf("read offloads of %s: %w", device, err)
		}
	}
	return o, nil
}

func ethtool(socket int, device string, command uint32) (bool, error) {
	value := ethtoolValue{command: command}
	request := ethtoolRequest{data: unsafe.Pointer(&value)}
	copy(request.name[:], device)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&request)))
	runtime.KeepAlive(&value)
	switch errno {
	case 0:
		return value.data != 0, nil
	case unix.EOPNOTSUPP:
		return false, nil
	}
	return false, errno
}

// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"sqmd/lab"
)

// Path is the way that packets take.
type Path struct {
	From, To lab.Host
	// IPv6 chooses the family; IPv4 by default.
	IPv6 bool
}

func (p Path) destination() netip.Addr {
	if p.IPv6 {
		return p.To.IPv6
	}
	return p.To.IPv4
}

func (p Path) String() string {
	return fmt.Sprintf("%s to %s", p.From.Namespace, p.To.Namespace)
}

// openUDP returns a connected socket at the path's begin and a bound one at its end.
func (p Path) openUDP() (sender, receiver int, err error) {
	address := p.destination()
	receiver, err = openSocket(p.To.Namespace, address, unix.SOCK_DGRAM, 0)
	if err != nil {
		return 0, 0, err
	}
	sender, err = openSocket(p.From.Namespace, address, unix.SOCK_DGRAM, 0)
	if err != nil {
		unix.Close(receiver)
		return 0, 0, err
	}
	if err = connect(sender, receiver, address); err != nil {
		unix.Close(sender)
		unix.Close(receiver)
	}
	return sender, receiver, err
}

func connect(sender, receiver int, address netip.Addr) error {
	to, err := bind(receiver, address)
	if err != nil {
		return err
	}
	return unix.Connect(sender, socketAddress(to))
}

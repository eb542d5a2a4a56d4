// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"fmt"
	"syscall"

	"sqmd/ifb"
	"sqmd/tc"
	"sqmd/watch"
)

// Outside hands: what other programs, persons and the world do. They are never
// refused by the hook of [Kernel.Fail]. Devices are named; the error is ENODEV
// when there is none of that name, and otherwise the kernel's.

// AddLink makes a device, down, and gives its index. The kind "ppp" has no link
// header, "device" is hardware that sqmd cannot remove.
func (k *Kernel) AddLink(name, kind string, mtu int) (int, error) {
	return k.AddQueuesLink(name, kind, mtu, 1)
}

// AddQueuesLink is [Kernel.AddLink] for a device with several transmit queues.
func (k *Kernel) AddQueuesLink(name, kind string, mtu, queues int) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byName(name) != nil {
		return 0, syscall.EEXIST
	}
	d := k.addDevice(name, kind, mtu, queues)
	d.foreign = true
	return d.link.Index, nil
}

// DeleteLinkByName removes a device, whoever made it.
func (k *Kernel) DeleteLinkByName(name string) error {
	return k.onNamed(name, func(d *device) error { k.remove(d); return nil })
}

// DeleteIFB removes the IFB that is marked as that of a device.
func (k *Kernel) DeleteIFB(owner string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.find(func(d *device) bool { return d.link.Kind == "ifb" && d.link.Alias == ifb.Alias(owner) })
	if d == nil {
		return syscall.ENODEV
	}
	k.remove(d)
	return nil
}

// Rename gives a device another name; EEXIST when that is taken.
func (k *Kernel) Rename(name, to string) error {
	return k.onNamed(name, func(d *device) error {
		if k.byName(to) != nil {
			return syscall.EEXIST
		}
		k.change(d, func() { d.link.Name = to })
		return nil
	})
}

// SetMTU sets a device's MTU in bytes.
func (k *Kernel) SetMTU(name string, mtu int) error {
	return k.onNamed(name, func(d *device) error {
		k.change(d, func() { d.link.MTU = mtu })
		return nil
	})
}

// SetCarrier plugs a device's cable in or out.
func (k *Kernel) SetCarrier(name string, carrier bool) error {
	return k.onNamed(name, func(d *device) error {
		if carrier == d.carrier {
			return nil
		}
		k.change(d, func() {
			d.carrier = carrier
			if carrier {
				d.ups++
			} else {
				d.downs++
			}
		})
		return nil
	})
}

// SetLinkUp sets a device up or down. What is on it stays.
func (k *Kernel) SetLinkUp(name string, up bool) error {
	return k.onNamed(name, func(d *device) error {
		if up {
			k.setUp(d)
			return nil
		}
		k.change(d, func() { d.link.Up = false })
		return nil
	})
}

// ChangeAddress gives a device another address, which only shows as an event.
func (k *Kernel) ChangeAddress(name string) error {
	return k.onNamed(name, func(d *device) error {
		k.tell(watch.Event{Kind: watch.AddressChanged, Ifindex: d.link.Index})
		return nil
	})
}

// DeleteRoot removes the root qdisc.
func (k *Kernel) DeleteRoot(dev string) error {
	return k.hand(dev, func(ifindex int) tc.Decoded {
		return tc.Decoded{Delete: true, Qdisc: &tc.Qdisc{Ifindex: ifindex, Parent: tc.Root}}
	})
}

// ReplaceRoot puts another root qdisc in place; with handle 0 the kernel chooses
// one. tbf has 1 Mbit/s, the other kinds their defaults, and htb no class.
func (k *Kernel) ReplaceRoot(dev, kind string, handle tc.Handle) error {
	options := emptyOptions(kind)
	switch kind {
	case "htb":
		options = &tc.HTB{}
	case "tbf":
		options = &tc.TBF{Rate: 1000000, Burst: 5000, Limit: 50000, LinkLayer: tc.LinkEthernet}
	}
	return k.hand(dev, func(ifindex int) tc.Decoded {
		return tc.Decoded{Mode: tc.Replace, Qdisc: &tc.Qdisc{Ifindex: ifindex, Parent: tc.Root, Handle: handle, Kind: kind, Options: options}}
	})
}

// SetRate changes the rate of a cake at the root in place, in bit/s, as a
// program that follows the line does.
func (k *Kernel) SetRate(dev string, bits uint64) error {
	return k.hand(dev, func(ifindex int) tc.Decoded {
		kind := "cake"
		if d := k.byIndex(ifindex); d != nil && d.root != nil && d.root.Kind == "cake_mq" {
			kind = "cake_mq"
		}
		return tc.Decoded{Mode: tc.Change, Qdisc: &tc.Qdisc{Ifindex: ifindex, Parent: tc.Root, Kind: kind, Options: &tc.Cake{Rate: &bits}}}
	})
}

// AddHook makes an "ingress" or "clsact" qdisc; EEXIST when there is one.
func (k *Kernel) AddHook(dev, kind string) error {
	return k.hand(dev, func(ifindex int) tc.Decoded {
		return tc.Decoded{Mode: tc.Add, Qdisc: &tc.Qdisc{Ifindex: ifindex, Parent: tc.IngressParent, Handle: tc.IngressHandle, Kind: kind}}
	})
}

// DeleteHook removes the ingress or clsact qdisc with all filters.
func (k *Kernel) DeleteHook(dev string) error {
	return k.hand(dev, func(ifindex int) tc.Decoded {
		return tc.Decoded{Delete: true, Qdisc: &tc.Qdisc{Ifindex: ifindex, Parent: tc.IngressParent}}
	})
}

// FlushIngress removes all filters on arriving packets.
func (k *Kernel) FlushIngress(dev string) error {
	return k.hand(dev, func(ifindex int) tc.Decoded {
		return tc.Decoded{Delete: true, Filter: &tc.Filter{Ifindex: ifindex, Parent: tc.IngressHook}}
	})
}

// AddForeignFilter adds a filter on arriving packets that lets those of one
// protocol pass; EINVAL without a hook, EEXIST or EINVAL when the preference is
// taken.
func (k *Kernel) AddForeignFilter(dev string, pref uint16) error {
	options, err := tc.ParseFilterWords("u32", []string{"match", "u32", "0x00060000", "0x00ff0000", "at", "8", "action", "pass"}, nil)
	if err != nil {
		return fmt.Errorf("foreign filter: %w", err)
	}
	return k.AddFilter(dev, tc.Filter{Parent: tc.IngressHook, Pref: pref, Protocol: tc.ProtocolIPv4, Handle: 1, Kind: "u32", Options: options})
}

// AddForeignRedirect leads all arriving packets to another device, as another
// ingress shaper does.
func (k *Kernel) AddForeignRedirect(dev string, pref uint16, to string) error {
	k.mu.Lock()
	index := names{k}.Index(to)
	k.mu.Unlock()
	return k.AddFilter(dev, ifb.Redirect(0, pref, index))
}

// AddFilter adds any filter.
func (k *Kernel) AddFilter(dev string, f tc.Filter) error {
	return k.hand(dev, func(ifindex int) tc.Decoded {
		f.Ifindex = ifindex
		return tc.Decoded{Mode: tc.Add, Filter: &f}
	})
}

// Tc carries out any request as another program, such as tc(8).
func (k *Kernel) Tc(r tc.Request) error {
	d, err := r.Decode()
	if err != nil {
		return err
	}
	return k.carryOut(d, true)
}

func (k *Kernel) onNamed(name string, do func(*device) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.byName(name)
	if d == nil {
		return syscall.ENODEV
	}
	return do(d)
}

// hand carries out a request as an outside hand.
func (k *Kernel) hand(dev string, request func(ifindex int) tc.Decoded) error {
	k.mu.Lock()
	index := names{k}.Index(dev)
	d := request(index)
	k.mu.Unlock()
	return k.carryOut(d, true)
}

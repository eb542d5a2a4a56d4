// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package tc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// What filters do to packets.

// packetSocket sends and receives whole frames on a device.
func packetSocket(t *testing.T, ifindex int) int {
	t.Helper()
	all := int(networkOrder(binary.NativeEndian, unix.ETH_P_ALL))
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: ifindex, Protocol: uint16(all)}); err != nil {
		t.Fatal(err)
	}
	limit := unix.NsecToTimeval((5 * time.Second).Nanoseconds())
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		t.Fatal(err)
	}
	return fd
}

func send(t *testing.T, fd, ifindex int, protocol uint16, frame []byte) {
	t.Helper()
	to := &unix.SockaddrLinklayer{Ifindex: ifindex, Protocol: networkOrder(binary.NativeEndian, protocol)}
	for {
		err := unix.Sendto(fd, frame, 0, to)
		if err == nil {
			return
		}
		if !errors.Is(err, unix.ENOBUFS) {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}

// frame is an Ethernet frame with an empty packet of protocol 253 (RFC 3692, for
// experiments) and a DS field.
func frame(protocol uint16, dsField byte) []byte {
	b := append(make([]byte, 12), byte(protocol>>8), byte(protocol))
	b[0], b[6] = 2, 2
	if protocol == ProtocolIPv6 {
		ip := make([]byte, 40)
		ip[0], ip[1], ip[6], ip[7] = 6<<4|dsField>>4, dsField<<4, 253, 64
		ip[8], ip[24] = 0xfd, 0xfd
		return append(b, ip...)
	}
	ip := make([]byte, 20)
	ip[0], ip[1], ip[3], ip[8], ip[9] = 0x45, dsField, 20, 64, 253
	copy(ip[12:], []byte{192, 0, 2, 1, 192, 0, 2, 2})
	binary.BigEndian.PutUint16(ip[10:], ^sum(ip))
	return append(b, ip...)
}

// sum is the ones' complement sum of RFC 1071; 0xffff over a right header.
func sum(b []byte) uint16 {
	var s uint32
	for i := 0; i < len(b); i += 2 {
		s += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

// dsField reads it from a frame.
func dsField(frame []byte) byte {
	if binary.BigEndian.Uint16(frame[12:]) == ProtocolIPv6 {
		return frame[14]<<4 | frame[15]>>4
	}
	return frame[15]
}

func setUp(t *testing.T, name string) netlink.Link {
	t.Helper()
	link, err := netlink.LinkByName(name)
	if err == nil {
		err = netlink.LinkSetUp(link)
	}
	if err != nil {
		t.Fatalf("set %s up: %v", name, err)
	}
	return link
}

// newCable gives the devices at the two ends of a cable that carries packets.
func newCable(t *testing.T) (near, far int) {
	t.Helper()
	link := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "near0"}, PeerName: "far0"}
	if err := netlink.LinkAdd(link); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = netlink.LinkDel(link) })
	near, far = setUp(t, "near0").Attrs().Index, setUp(t, "far0").Attrs().Index
	// The kernel notices a carrier a moment later, and until then drops what is sent.
	for _, index := range []int{near, far} {
		for {
			end, err := netlink.LinkByIndex(index)
			if err != nil {
				t.Fatal(err)
			}
			if end.Attrs().OperState == netlink.OperUp {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	return near, far
}

// Packets of every DSCP go to the class that their u32 filter says, for both
// versions of IP and whatever their ECN bits are.
func TestKernelDSCPClasses(t *testing.T) {
	parent := MakeHandle(1, 0)
	b, _ := newFilterBench(t, parent)
	setUp(t, b.name)
	class := func(protocol uint16, dscp uint8) Handle {
		if protocol == ProtocolIPv6 {
			return MakeHandle(1, 0x200+uint16(dscp))
		}
		return MakeHandle(1, 0x100+uint16(dscp))
	}
	protocols := []uint16{ProtocolIPv4, ProtocolIPv6}
	// The kernel sends packets of its own.
	ours := map[uint16]U32Key{ProtocolIPv4: {Mask: 0xff << 16, Value: 253 << 16, Offset: 8}, ProtocolIPv6: {Mask: 0xff << 8, Value: 253 << 8, Offset: 4}}
	var requests []Request
	for i, protocol := range protocols {
		for dscp := uint8(0); dscp < 64; dscp++ {
			id := class(protocol, dscp)
			c, err := ClassRequest(Add, Class{Ifindex: b.ifindex, Parent: parent, Handle: id, Kind: "htb", Options: &HTBClass{Rate: 1e9, Ceil: 1e9}})
			if err != nil {
				t.Fatal(err)
			}
			f, err := FilterRequest(Add, Filter{Ifindex: b.ifindex, Parent: parent, Pref: uint16(i + 1), Protocol: protocol, Kind: "u32",
				Options: &U32{Keys: []U32Key{U32DSCP(protocol, dscp), ours[protocol]}, ClassID: id}})
			if err != nil {
				t.Fatal(err)
			}
			requests = append(requests, c, f)
		}
	}
	b.do(requests...)
	fd := packetSocket(t, b.ifindex)
	want := map[Handle]uint64{}
	for _, protocol := range protocols {
		for ds := 0; ds < 256; ds++ {
			// The number of packets tells classes apart.
			for range 1 + ds>>2%3 {
				send(t, fd, b.ifindex, protocol, frame(protocol, byte(ds)))
				want[class(protocol, byte(ds>>2))]++
			}
		}
	}
	got := map[Handle]uint64{}
	classes, err := b.conn.Classes(b.ifindex)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range classes {
		got[c.Handle] = c.Stats.Packets
	}
	b.equal("packets", want, got)
}

// ClearDSCP on one side of a veth takes the DSCP away, keeps ECN, and leaves a
// right header checksum; other protocols pass unchanged.
func TestKernelClearDSCP(t *testing.T) {
	b := newBench(t)
	near, far := newCable(t)
	b.ifindex = near
	b.qdisc(Add, Qdisc{Parent: IngressParent, Handle: IngressHandle, Kind: "clsact"})
	for i, protocol := range []uint16{ProtocolIPv4, ProtocolIPv6} {
		b.filter(Add, Filter{Parent: EgressHook, Pref: uint16(i + 1), Protocol: protocol, Kind: "matchall",
			Options: &Matchall{Actions: ClearDSCP(protocol)}})
	}
	out, in := packetSocket(t, near), packetSocket(t, far)
	for _, protocol := range []uint16{ProtocolIPv4, ProtocolIPv6} {
		for ds := 0; ds < 256; ds++ {
			sent := frame(protocol, byte(ds))
			send(t, out, near, protocol, sent)
			got := receive(t, in)
			if have, want := dsField(got), byte(ds)&3; have != want {
				t.Errorf("protocol %#x: DS field %#02x became %#02x, want %#02x", protocol, ds, have, want)
			}
			if protocol == ProtocolIPv4 && sum(got[14:34]) != 0xffff {
				t.Errorf("DS field %#02x: header checksum is wrong: % x", ds, got[14:34])
			}
			// Nothing else changed.
			sent[14], sent[15] = got[14], got[15]
			if protocol == ProtocolIPv4 {
				copy(sent[24:26], got[24:26])
			}
			b.equal(fmt.Sprintf("packet with DS field %#02x", ds), sent, got)
		}
	}
	arp := append(frame(ProtocolIPv4, 0xb8)[:12:12], 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1)
	arp = append(arp, make([]byte, 20)...)
	arp[15] = 0xb8
	send(t, out, near, ProtocolARP, arp)
	b.equal("ARP", arp, receive(t, in))
}

// receive gives the next of our frames.
func receive(t *testing.T, fd int) []byte {
	t.Helper()
	buf := make([]byte, 2048)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err != nil {
			t.Fatalf("receive: %v", err)
		}
		// The kernel's own frames do not have these addresses.
		if f := buf[:n]; n > 14 && f[0] == 2 && f[6] == 2 && f[11] == 0 {
			return append([]byte(nil), f...)
		}
	}
}

// Packets arriving on a device leave through the one that they are redirected
// to, behind ctinfo, which knows no connection and lets them be.
func TestKernelRedirect(t *testing.T) {
	b, names := newFilterBench(t, IngressHook)
	setUp(t, "second0")
	near, far := newCable(t)
	b.ifindex = far
	b.qdisc(Add, Qdisc{Parent: IngressParent, Handle: IngressHandle, Kind: "clsact"})
	want := &Matchall{Flags: SkipHardware, Actions: Actions{
		{Options: &CtInfo{DSCPMask: 0xfc000000, DSCPStateMask: 0x01000000}}, RedirectTo(names["second0"]),
	}}
	b.filter(Add, Filter{Parent: IngressHook, Pref: 10, Protocol: ProtocolAll, Kind: "matchall", Options: want})
	out, in := packetSocket(t, near), packetSocket(t, names["second0"])
	const packets = 20
	for i := range packets {
		f := frame(ProtocolIPv4, byte(i<<2))
		send(t, out, near, ProtocolIPv4, f)
		b.equal("packet on the other device", f, receive(t, in))
	}
	list, err := b.conn.Filters(b.ifindex, IngressHook)
	if err != nil || len(list) != 1 || !Satisfied(want, list[0].Options) {
		t.Fatalf("%v, %v", list, err)
	}
	actions := list[0].Options.(*Matchall).Actions
	if ifindex, ok := actions.RedirectsTo(); !ok || ifindex != names["second0"] {
		t.Errorf("redirects to %d, %v", ifindex, ok)
	}
	// The kernel's own packets may have come by too.
	if n := actions[1].Stats.Packets; n < packets || actions[0].Stats.Packets != n {
		t.Errorf("the actions saw %d and %d packets, of %d", actions[0].Stats.Packets, n, packets)
	}
}

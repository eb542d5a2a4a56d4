// SPDX-License-Identifier: GPL-2.0-or-later

package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// Packet is an Ethernet frame.
type Packet struct {
	// At is when it arrived, since the epoch.
	At time.Duration
	// Length is that of the frame in bytes, from the destination's address on, without checksum.
	Length int
	// Data is the beginning of the frame, which may be all of it.
	Data []byte
}

// The classic pcap format, draft-ietf-opsawg-pcap: a header of 24 bytes, then for each packet one of 16 and its data.
const (
	magicMicroseconds = 0xa1b2c3d4
	magicNanoseconds  = 0xa1b23c4d
	versionMajor      = 2
	versionMinor      = 4
	linkTypeEthernet  = 1
	headerSize        = 24
	recordSize        = 16
)

// maxData bounds, in bytes, what a file may hold of a packet: tcpdump's own limit.
const maxData = 262144

// Write writes a file. The byte order is little-endian on every machine, times are exact.
func Write(w io.Writer, packets []Packet) error {
	order := binary.LittleEndian
	text := order.AppendUint32(nil, magicNanoseconds)
	text = order.AppendUint16(text, versionMajor)
	text = order.AppendUint16(text, versionMinor)
	text = order.AppendUint64(text, 0) // time zone and accuracy, both unused
	text = order.AppendUint32(text, maxData)
	text = order.AppendUint32(text, linkTypeEthernet)
	for _, p := range packets {
		text = order.AppendUint32(text, uint32(p.At/time.Second))
		text = order.AppendUint32(text, uint32(p.At%time.Second))
		text = order.AppendUint32(text, uint32(len(p.Data)))
		text = order.AppendUint32(text, uint32(p.Length))
		text = append(text, p.Data...)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write packets: %w", err)
	}
	return nil
}

// Read reads a file of either byte order with times in micro- or nanoseconds.
func Read(r io.Reader) ([]Packet, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	order, unit, err := format(header[:4])
	if err != nil {
		return nil, err
	}
	if major := order.Uint16(header[4:]); major != versionMajor {
		return nil, fmt.Errorf("read header: version %d, only %d is known", major, versionMajor)
	}
	// The upper bits say whether frames end with a checksum.
	if link := order.Uint32(header[20:]); link&0xffff != linkTypeEthernet {
		return nil, fmt.Errorf("read header: link type %d, only Ethernet (%d) is known", link, linkTypeEthernet)
	}
	var packets []Packet
	for {
		p, err := readPacket(r, order, unit)
		switch {
		case errors.Is(err, io.EOF):
			return packets, nil
		case err != nil:
			return nil, fmt.Errorf("read packet %d: %w", len(packets)+1, err)
		}
		packets = append(packets, p)
	}
}

// format tells byte order and unit of time.
func format(magic []byte) (order binary.ByteOrder, unit time.Duration, err error) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch order.Uint32(magic) {
		case magicMicroseconds:
			return order, time.Microsecond, nil
		case magicNanoseconds:
			return order, time.Nanosecond, nil
		}
	}
	return nil, 0, fmt.Errorf("read header: % x is not the beginning of a pcap file", magic)
}

// readPacket reads one packet; io.EOF means that there is none.
func readPacket(r io.Reader, order binary.ByteOrder, unit time.Duration) (p Packet, err error) {
	var header [recordSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return p, err
	}
	size := order.Uint32(header[8:])
	if size > maxData {
		return p, fmt.Errorf("%d bytes, more than %d", size, maxData)
	}
	fraction := time.Duration(order.Uint32(header[4:])) * unit
	if fraction >= time.Second {
		return p, fmt.Errorf("its time has a fraction of %v", fraction)
	}
	p.At = time.Duration(order.Uint32(header[0:]))*time.Second + fraction
	p.Length = int(order.Uint32(header[12:]))
	p.Data = make([]byte, size)
	if _, err := io.ReadFull(r, p.Data); err != nil {
		return p, fmt.Errorf("its data: %w", io.ErrUnexpectedEOF)
	}
	return p, nil
}

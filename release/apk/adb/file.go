// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Schema says what a file is about.
type Schema string

const (
	// Package is the schema of a package.
	Package Schema = "pckg"
	// Index is the schema of a repository's index.
	Index Schema = "indx"
)

// File is the content of a file.
type File struct {
	Schema Schema
	// Body is what a [Writer] made.
	Body []byte
	// Signatures are those of Schema and Body, made by [File.Sign].
	Signatures [][]byte
	// Data is further content, which the body has to vouch for.
	Data [][]byte
}

// MaxSize is the most that a file may hold, in bytes after decompression. A router's flash is smaller.
const MaxSize = 64 << 20

const (
	magicSize    = 4
	magicPlain   = "ADB."
	magicDeflate = "ADBd"

	blockBody      = 0
	blockSignature = 1
	blockData      = 2
	blockTypeShift = 30
	blockSizeMask  = 1<<blockTypeShift - 1
	blockHead      = 4
	blockAlign     = 8
)

// Payload returns the file without compression, which is a valid file, too. It fails if that is above [MaxSize].
func (f File) Payload() ([]byte, error) {
	size := magicSize + len(f.Schema) + blockSize(f.Body)
	for _, content := range slices.Concat(f.Signatures, f.Data) {
		size += blockSize(content)
	}
	if size > MaxSize {
		return nil, fmt.Errorf("%d bytes are more than the %d a file may hold", size, MaxSize)
	}
	b := append(make([]byte, 0, size), magicPlain...)
	b = append(b, f.Schema...)
	b = appendBlock(b, blockBody, f.Body)
	for _, s := range f.Signatures {
		b = appendBlock(b, blockSignature, s)
	}
	for _, d := range f.Data {
		b = appendBlock(b, blockData, d)
	}
	return b, nil
}

// blockSize is what content takes as a block.
func blockSize(content []byte) int { return align(blockHead + len(content)) }

// align rounds up to where the next block may begin.
func align(n int) int { return (n + blockAlign - 1) / blockAlign * blockAlign }

func appendBlock(b []byte, kind uint32, content []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, kind<<blockTypeShift|uint32(blockHead+len(content)))
	return pad(append(b, content...), blockAlign)
}

// Write writes the file, compressed.
func (f File) Write(w io.Writer) error {
	payload, err := f.Payload()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, magicDeflate); err != nil {
		return err
	}
	// deflate is the one method that OpenWrt's apk has.
	z, err := flate.NewWriter(w, flate.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(payload); err != nil {
		return err
	}
	return z.Close()
}

// Read reads a file to its end, compressed or not.
func Read(r io.Reader) (File, error) {
	buffered := bufio.NewReader(r)
	magic, err := buffered.Peek(magicSize)
	if err != nil {
		return File{}, fmt.Errorf("not an apk v3 file: %w", noEOF(err))
	}
	var payload []byte
	switch string(magic) {
	case magicPlain:
		payload, err = readAll(buffered)
	case magicDeflate:
		payload, err = inflate(buffered)
	default:
		err = fmt.Errorf("not an apk v3 file with deflate or without compression: begins with %q", magic)
	}
	if err != nil {
		return File{}, err
	}
	return split(payload)
}

func inflate(r *bufio.Reader) ([]byte, error) {
	if _, err := r.Discard(magicSize); err != nil {
		return nil, err
	}
	// flate takes no byte beyond its stream from a reader of single bytes.
	payload, err := readAll(flate.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more bytes after the compressed ones")
	}
	return payload, nil
}

func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, noEOF(err)
	}
	if len(b) > MaxSize {
		return nil, fmt.Errorf("more than the %d bytes a file may hold", MaxSize)
	}
	return b, nil
}

// noEOF names an end that came too early.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// split takes an uncompressed file apart.
func split(payload []byte) (File, error) {
	rest, ok := bytes.CutPrefix(payload, []byte(magicPlain))
	if !ok || len(rest) < len(Package) {
		return File{}, errors.New("no schema")
	}
	f := File{Schema: Schema(rest[:len(Package)])}
	rest = rest[len(Package):]
	for last := -1; len(rest) > 0; {
		kind, content, after, err := nextBlock(rest)
		if err != nil {
			return File{}, fmt.Errorf("block at %#x: %w", len(payload)-len(rest), err)
		}
		if kind < last || last < blockBody && kind != blockBody || kind == blockBody && last == blockBody {
			return File{}, fmt.Errorf("block at %#x is out of order", len(payload)-len(rest))
		}
		switch kind {
		case blockBody:
			f.Body = content
		case blockSignature:
			f.Signatures = append(f.Signatures, content)
		case blockData:
			f.Data = append(f.Data, content)
		default:
			return File{}, fmt.Errorf("block at %#x has an unknown type", len(payload)-len(rest))
		}
		last, rest = kind, after
	}
	if f.Body == nil {
		return File{}, errors.New("no body")
	}
	return f, nil
}

// nextBlock takes the first block off b, which is not empty.
func nextBlock(b []byte) (kind int, content, rest []byte, err error) {
	if len(b) < blockHead {
		return 0, nil, nil, io.ErrUnexpectedEOF
	}
	head := binary.LittleEndian.Uint32(b)
	size := int(head & blockSizeMask)
	end := align(size)
	if size < blockHead || end > len(b) {
		return 0, nil, nil, fmt.Errorf("%d bytes of %d", size, len(b))
	}
	if err := zeros(b[size:end], blockAlign); err != nil {
		return 0, nil, nil, err
	}
	return int(head >> blockTypeShift), b[blockHead:size:size], b[end:], nil
}

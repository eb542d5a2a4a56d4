// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// blockSize is tar's, in bytes.
const blockSize = 512

// block is a tar header, laid out as in POSIX 1003.1 ustar.
type block []byte

func (b block) typeflag() byte { return b[156] }

// Places of the numbers in a header that opkg reads: mode, uid, gid, size, mtime, checksum.
func (b block) numbers() [][]byte {
	return [][]byte{b[100:108], b[108:116], b[116:124], b[124:136], b[136:148], b[148:156]}
}

func (b block) size() (int64, error) {
	text := strings.Trim(string(b[124:136]), " \x00")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 8, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("size %q is not octal", text)
	}
	return n, nil
}

// opkgReads says why opkg does not read a header, or not as GNU tar does.
func (b block) opkgReads() error {
	gnu := string(b[257:265]) == "ustar  \x00"
	if !gnu && string(b[257:265]) != "ustar\x0000" {
		return errors.New("neither a GNU nor a ustar header")
	}
	// opkg takes what GNU tar keeps here for the start of the name.
	if gnu && !zero(b[345:]) {
		return errors.New("GNU header with times or sparse parts")
	}
	for _, n := range b.numbers() {
		if n[0] >= 0x80 {
			return errors.New("number in base 256")
		}
	}
	switch b.typeflag() {
	case '0', 0, 'L', 'K':
	case '2', '5':
		if n, err := b.size(); err != nil || n != 0 {
			return errors.New("link or directory with content")
		}
	case 'x', 'g':
		return errors.New("PAX header")
	default:
		return fmt.Errorf("type %q is neither a file nor a link nor a directory", b.typeflag())
	}
	return nil
}

// checkDialect goes through the headers of a tar as opkg does, without a thought for what they say.
func checkDialect(tarball []byte) error {
	for at := 0; ; {
		if len(tarball)-at < blockSize {
			return errors.New("tar is cut short")
		}
		header := block(tarball[at : at+blockSize])
		if zero(header) {
			if !zero(tarball[at:]) {
				return fmt.Errorf("tar goes on after its end at byte %d", at)
			}
			return nil
		}
		if err := header.opkgReads(); err != nil {
			return fmt.Errorf("tar header at byte %d: %w", at, err)
		}
		size, err := header.size()
		if err != nil {
			return fmt.Errorf("tar header at byte %d: %w", at, err)
		}
		if size > int64(len(tarball)-at-blockSize) {
			return errors.New("tar is cut short")
		}
		at += blockSize + int(size+blockSize-1)/blockSize*blockSize
	}
}

func zero(b []byte) bool {
	return len(bytes.Trim(b, "\x00")) == 0
}

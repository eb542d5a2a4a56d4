// SPDX-License-Identifier: GPL-2.0-or-later

package journal

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxLine bounds a line with its newline, in bytes.
	maxLine = 400
	// maxPart bounds each of the names at the beginning of a line.
	maxPart = 64
	// roomForLine is what a line may need before it is cut.
	roomForLine = maxLine + len(`\U0010ffff`)

	ellipsis = "..."
)

// appendLine appends the entry as a line without a newline, cut to what fits before
// one: "warning: queue (device) direction: text". Names that are empty are left
// out, and the device where the queue has its name.
func appendLine(line []byte, e Entry) []byte {
	switch {
	case e.Level <= Error:
		line = append(line, "error: "...)
	case e.Level <= Warning:
		line = append(line, "warning: "...)
	}
	start := len(line)
	line = appendPart(line, start, e.Queue, "", "")
	switch {
	case e.Queue == "":
		line = appendPart(line, start, e.Device, "", "")
	case e.Device != e.Queue:
		line = appendPart(line, start, e.Device, "(", ")")
	}
	line = appendPart(line, start, e.Direction, "", "")
	if len(line) > start {
		line = append(line, ": "...)
	}
	line = appendPrintable(line, strings.TrimSpace(e.Text), maxLine)
	return cut(line, maxLine-len("\n"))
}

// appendPart appends a name, unless it is empty, between its marks, and a space
// before it unless it is the first after start.
func appendPart(line []byte, start int, name, before, after string) []byte {
	if name == "" {
		return line
	}
	if len(line) > start {
		line = append(line, ' ')
	}
	line = append(line, before...)
	begin := len(line)
	line = appendPrintable(line, name, begin+maxPart)
	line = line[:begin+len(cut(line[begin:], maxPart))]
	return append(line, after...)
}

// appendPrintable appends text with what cannot be printed as an escape sequence of
// Go, until the line is longer than enough.
func appendPrintable(line []byte, text string, enough int) []byte {
	for len(text) > 0 && len(line) <= enough {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			line = append(line, `\x`...)
			line = strconv.AppendUint(line, uint64(text[0]), 16)
		case strconv.IsPrint(r):
			line = append(line, text[:size]...)
		default:
			quoted := strconv.AppendQuoteRune(nil, r)
			line = append(line, quoted[1:len(quoted)-1]...)
		}
		text = text[size:]
	}
	return line
}

// cut shortens the line to size bytes, between two runes and with an ellipsis at
// the end. It leaves a line that is short enough as it is.
func cut(line []byte, size int) []byte {
	if len(line) <= size {
		return line
	}
	end := size - len(ellipsis)
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return append(line[:end], ellipsis...)
}

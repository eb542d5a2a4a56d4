// SPDX-License-Identifier: GPL-2.0-or-later

// Package adb writes and reads the container that version 3 of apk uses for packages and repository indices.
//
// A file is a schema and blocks: one body of structured data, signatures of that body, and data such as the content of
// a package's files. The body is a heap of values that refer to each other by offset; [Writer] makes one and [Body]
// reads one. All numbers are little endian.
//
// Reading is strict: a value, a block or a byte of padding that this package would write differently is an error, and
// no input makes it use memory or time out of proportion.
package adb

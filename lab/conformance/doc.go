// SPDX-License-Identifier: GPL-2.0-or-later

// Package conformance holds sqmd against a record of what sqm-scripts makes of the same configuration files.
//
// A case is a directory with the configuration (sqm.uci), the kernel state that sqm-scripts left (state.json) and
// remarks (notes.txt). [Observe], in a lab guest, makes the devices of a case, runs sqmd on its configuration and
// notes what the kernel says before, after apply and after stop, and where packets of every DSCP end up. [Judge], on the
// host, compares that with the record. Everything is compared as one tree of JSON values, the kernel state in the form
// that [Tree] describes.
//
// A BUG line in the remarks says that the record is not the target. What is, is in an [Expectation], a file of this
// package; without one the case is held to rules that no configuration may break (see invariants.go).
package conformance

// SPDX-License-Identifier: GPL-2.0-or-later

package front

// readHandle reads a filter's handle, whose form is the kind's business.
func (f *filterPlace) readHandle(s string) (err error) {
	f.Handle, err = readU32(s)
	return err
}

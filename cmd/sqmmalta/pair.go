// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"errors"
	"strings"
)

// pair takes GUEST=HOST apart.
func pair(value string) (guest, host string, err error) {
	guest, host, found := strings.Cut(value, "=")
	if !found || !strings.HasPrefix(guest, "/") || host == "" {
		return "", "", errors.New("want GUEST=HOST, with an absolute path in the guest")
	}
	return guest, host, nil
}

// SPDX-License-Identifier: GPL-2.0-or-later

// Package scenario tries the package files on a router that looks like OpenWrt: installed, booted, reloaded, disabled,
// upgraded and removed, in the order of opkg and in that of apk, next to sqm-scripts and without it. The tests run as
// root in a virtual machine (build tag lab) and take what they need from files, so that the same test binary runs on
// any architecture: see the variables in lab_test.go.
package scenario

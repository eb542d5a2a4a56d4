# SPDX-License-Identifier: GPL-2.0-or-later
# Stand-in of OpenWrt's /lib/functions/network.sh.
# shellcheck shell=dash disable=SC2034

# network_get_device VARIABLE NETWORK: the device that carries its packets; an error while it is down
network_get_device() {
	local got
	got=$(ubus -S call "network.interface.$2" status 2>/dev/null | sed -n 's/.*"l3_device":"\([^"]*\)".*/\1/p')
	eval "$1=\$got"
	[ -n "$got" ]
}

network_is_up() {
	local device
	network_get_device device "$1"
}

network_flush_cache() { return 0; }

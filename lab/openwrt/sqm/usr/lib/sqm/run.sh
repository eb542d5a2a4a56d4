#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Stand-in of sqm-scripts: shapes with cake and keeps a state file for each device it shapes.
#   run.sh start|stop [DEVICE]
# shellcheck shell=dash disable=SC1090,SC1091,SC2086

. /lib/functions.sh
. /etc/sqm/sqm.conf

action=$1
only=$2

# The list that LuCI's page reads.
[ -d "$SQM_STATE_DIR/available_qdiscs" ] || {
	mkdir -p "$SQM_STATE_DIR/available_qdiscs"
	: >"$SQM_STATE_DIR/available_qdiscs/cake"
}

# What is called can be chosen by the environment, and in a state file.
tc() { command ${TC_BINARY:-tc} "$@"; }
ip() { command ${IP_BINARY:-ip} "$@"; }

say() { logger -t SQM -s "$1"; }

remove_shaping() {
	local device=$1 ifb="ifb4$1"
	tc qdisc del dev "$device" ingress 2>/dev/null
	tc qdisc del dev "$device" root 2>/dev/null
	tc qdisc del dev "$ifb" root 2>/dev/null
	ip link set dev "$ifb" down 2>/dev/null
	ip link delete "$ifb" type ifb 2>/dev/null
}

start_section() {
	local device enabled download upload ifb state
	config_get device "$1" interface
	config_get enabled "$1" enabled 0
	config_get download "$1" download
	config_get upload "$1" upload
	state="$SQM_STATE_DIR/$device.state"
	ifb="ifb4$device"
	[ -z "$only" ] || [ "$only" = "$device" ] || return
	[ "$enabled" -eq 1 ] || return
	[ ! -f "$state" ] || return
	[ -d "/sys/class/net/$device" ] || {
		say "$device does currently not exist, not even trying to start SQM on nothing."
		return
	}
	remove_shaping "$device"
	say "Starting SQM script: piece_of_cake.qos on $device, in: $download Kbps, out: $upload Kbps"
	tc qdisc add dev "$device" root cake bandwidth "${upload}kbit" besteffort &&
		ip link add name "$ifb" type ifb &&
		tc qdisc add dev "$device" handle ffff: ingress &&
		tc qdisc add dev "$ifb" root cake bandwidth "${download}kbit" besteffort wash ingress &&
		ip link set dev "$ifb" up &&
		tc filter add dev "$device" parent ffff: protocol all prio 10 u32 match u32 0 0 flowid 1:1 action mirred egress redirect dev "$ifb" &&
		echo "IFACE='$device'" >"$state" &&
		say "piece_of_cake.qos was started on $device successfully"
}

stop_device() {
	local IFACE=
	. "$1"
	say "Stopping SQM on $IFACE"
	remove_shaping "$IFACE"
	rm -f "$1"
}

case "$action" in
stop)
	for state in "$SQM_STATE_DIR"/${only:-*}.state; do
		[ ! -f "$state" ] || (stop_device "$state")
	done
	;;
*)
	config_load sqm
	config_foreach start_section
	;;
esac

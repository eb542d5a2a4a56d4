# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# Taking the line over from sqm-scripts, and giving it back. For scripts that have
# sourced /lib/functions.sh.

SQM_STATE=/var/run/sqm
# Exists from the time that sqm-scripts was disabled until it is enabled again. It is
# on flash, and written once.
SQM_RECORD=/etc/sqmd/sqm-scripts-disabled

sqmd_enabled() {
	local enabled

	config_load sqmd
	config_get_bool enabled main enabled 1
	[ "$enabled" -eq 1 ]
}

sqm_say() {
	logger -s -t sqmd "$1"
}

# /etc/init.d/sqm alone can be someone else's.
sqm_installed() {
	[ -x /etc/init.d/sqm ] && [ -x /usr/lib/sqm/run.sh ]
}

sqm_starts_at_boot() {
	set -- /etc/rc.d/S[0-9][0-9]sqm
	[ -e "$1" ]
}

sqm_shapes() {
	set -- "$SQM_STATE"/*.state
	[ -e "$1" ]
}

sqm_is_rival() {
	sqm_installed && { sqm_starts_at_boot || sqm_shapes; }
}

# sqm_take_over [running]: if sqm-scripts is enabled or shapes, stops and disables it,
# and shapes instead. Fails, and leaves all as it is, where the configuration has an
# error, so that sqm-scripts is the one that can shape; a daemon that is running
# already has what it needs.
sqm_take_over() {
	local device state

	sqm_is_rival || return 0
	if [ -z "$1" ] && ! /usr/sbin/sqmd check >/dev/null 2>&1; then
		sqm_say "sqm-scripts goes on: the configuration has an error, which sqmd check tells"
		return 1
	fi
	if sqm_starts_at_boot; then
		[ -e "$SQM_RECORD" ] || { mkdir -p "${SQM_RECORD%/*}" && : >"$SQM_RECORD"; }
		/etc/init.d/sqm disable
	fi
	sqm_await
	for state in "$SQM_STATE"/*.state; do
		[ -e "$state" ] || continue
		device=${state##*/}
		device=${device%.state}
		if /usr/sbin/sqmd plan "$device" >/dev/null 2>&1; then
			sqm_forget "$device"
			sqm_hand_over "$device"
		else
			/usr/lib/sqm/run.sh stop "$device" >/dev/null 2>&1
		fi
	done
	# Its triggers end too; it has nothing left to stop.
	/etc/init.d/sqm stop >/dev/null 2>&1
	sqm_say "sqmd took over from sqm-scripts, which is now stopped and disabled"
}

# Waits, but not for ever, until sqm-scripts is done with what it does at the moment, as
# when a network has just come up. One that was killed left a lock that it would wait for
# in vain itself.
sqm_await() {
	local lock="$SQM_STATE/sqm-run.lock" patience=20 pid

	while [ "$patience" -gt 0 ] && read -r pid 2>/dev/null <"$lock/pid"; do
		kill -0 "$pid" 2>/dev/null || { rm -rf "$lock" && return; }
		sleep 1
		patience=$((patience - 1))
	done
}

# To stop, sqm-scripts needs seconds where it has firewall rules, and removes the
# shaper first. Made to take `true` for tc and ip it removes all but the shaper.
sqm_forget() {
	local state="$SQM_STATE/$1.state"

	printf 'TC_BINARY="true"\nIP_BINARY="true"\n' >>"$state"
	TC_BINARY=true IP_BINARY=true /usr/lib/sqm/run.sh stop "$1" >/dev/null 2>&1
	rm -f "$state"
}

# sqmd replaces a root qdisc in place, and takes an IFB with its mark for its own. So
# the download is shaped all the time, through the redirect of sqm-scripts until that of
# sqmd is there. Left behind, the old one would lose every packet once the IFB is gone.
sqm_hand_over() {
	local ifb alias=''

	ifb=$(printf '%.15s' "ifb4$1")
	if [ -e "/sys/class/net/$ifb" ]; then
		read -r alias <"/sys/class/net/$ifb/ifalias"
		[ -n "$alias" ] || printf 'sqmd:%s' "$1" >"/sys/class/net/$ifb/ifalias"
	fi
	if /usr/sbin/sqmd apply "$1"; then
		tc filter del dev "$1" parent ffff: protocol all pref 10 u32 2>/dev/null
	else
		tc qdisc del dev "$1" ingress 2>/dev/null
		ip link del dev "$ifb" 2>/dev/null
	fi
}

# Where sqm-scripts was disabled by sqmd, or was enabled again while sqmd was at work,
# it shapes again.
sqm_give_back() {
	if sqm_installed && { [ -e "$SQM_RECORD" ] || { sqm_starts_at_boot && [ -d /var/run/sqmd ]; }; }; then
		rm -rf "$SQM_STATE/available_qdiscs"
		/etc/init.d/sqm enable
		/etc/init.d/sqm stop >/dev/null 2>&1
		/etc/init.d/sqm start >/dev/null 2>&1
		sqm_say "sqm-scripts shapes again"
	fi
	rm -f "$SQM_RECORD"
	rmdir "${SQM_RECORD%/*}" 2>/dev/null
	return 0
}

# LuCI's page for /etc/config/sqm offers the qdiscs that it finds here, and says that
# the service is off where it finds none. sqm-scripts makes the list when it starts.
sqm_list_qdiscs() {
	local list="$SQM_STATE/available_qdiscs" kind release

	[ ! -d "$list" ] || return 0
	(umask 077 && mkdir -p "$list")
	read -r release </proc/sys/kernel/osrelease
	for kind in cake codel pie sfq; do
		if [ -d "/sys/module/sch_$kind" ] || [ -e "/lib/modules/$release/sch_$kind.ko" ]; then
			: >"$list/$kind"
		fi
	done
	: >"$list/fq_codel" # in every kernel of OpenWrt
}

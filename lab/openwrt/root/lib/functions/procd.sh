# SPDX-License-Identifier: GPL-2.0-or-later
# Stand-in of procd.sh: what an init script says with its functions is written down, and sent to procd by procd-ask.
# shellcheck shell=dash disable=SC2119,SC2120,SC2154,SC3023

PROCD_RELOAD_DELAY=1000

# The service's name, also where the script was called through a link in rc.d.
procd_service() {
	local linked
	linked=$(readlink "$initscript")
	basename "${linked:-$initscript}"
}

# Calls of one service's script come one after the other. What the script starts has the lock, too.
procd_lock() {
	[ ! -e /proc/self/fd/1000 ] || return
	exec 1000>"$IPKG_INSTROOT/var/lock/procd_$(procd_service).lock"
	flock 1000 || logger "warning: procd flock failed"
}

# Words are ended by NUL, which a shell keeps in files alone.
procd_say() {
	{
		printf '%s\0' $#
		printf '%s\0' "$@"
	} >>"$procd_said"
}

procd_open_service() {
	procd_said=/tmp/procd.$$
	: >"$procd_said"
	procd_say open_service "$@"
}

procd_close_service() {
	local result
	service_triggers
	procd-ask "${1:-set}" <"$procd_said"
	result=$?
	rm -f "$procd_said"
	return $result
}

procd_open_instance() { procd_say open_instance "$@"; }
procd_close_instance() { procd_say close_instance; }
procd_set_param() { procd_say set_param "$@"; }
procd_append_param() { procd_say append_param "$@"; }
procd_add_jail() { procd_say add_jail "$@"; }
procd_add_jail_mount() { procd_say add_jail_mount "$@"; }
procd_add_jail_mount_rw() { procd_say add_jail_mount_rw "$@"; }

procd_add_instance() {
	procd_open_instance
	procd_set_param command "$@"
	procd_close_instance
}

# The delay may be set before any trigger, and counts for those after it.
procd_say_trigger() {
	procd_say delay "$PROCD_RELOAD_DELAY"
	procd_say "$@"
}

procd_open_trigger() { return 0; }
procd_close_trigger() { return 0; }
procd_add_config_trigger() { procd_say_trigger add_config_trigger "$@"; }
procd_add_interface_trigger() { procd_say_trigger add_interface_trigger "$@"; }
procd_add_raw_trigger() { procd_say_trigger add_raw_trigger "$@"; }

procd_add_reload_trigger() {
	local package
	for package in "$@"; do
		procd_add_config_trigger config.change "$package" "/etc/init.d/$(procd_service)" reload
	done
}

procd_add_reload_interface_trigger() {
	procd_add_interface_trigger 'interface.*' "$1" "/etc/init.d/$(procd_service)" reload
}

procd_running() { procd-ask running "$@"; }
procd_kill() { procd-ask delete "$@"; }
procd_send_signal() {
	local signal=$3
	case "$signal" in [A-Z]*) signal=$(kill -l "$signal") || return 1 ;; esac
	procd-ask signal "$1" "$2" "$signal"
}

procd_lock

# SPDX-License-Identifier: GPL-2.0-or-later
# Stand-in of OpenWrt's /lib/functions.sh: configuration files as variables, accounts, and what every package runs as it
# comes and goes.
# shellcheck shell=dash disable=SC1090,SC2034,SC2086

# append VARIABLE WORD [SEPARATOR]
append() {
	eval "$1=\"\${$1:+\${$1}\${3:- }}\$2\""
}

# list_contains VARIABLE WORD
list_contains() {
	local all
	eval "all=\" \${$1} \""
	case "$all" in *" $2 "*) return 0 ;; esac
	return 1
}

# config_load NAME: the sections become CONFIG_SECTIONS, their options CONFIG_section_option.
config_load() {
	[ -z "$IPKG_INSTROOT" ] || return 0
	local variables
	CONFIG_SECTIONS=
	variables=$(config-vars "$1") || return 1
	eval "$variables"
}

# config_get VARIABLE SECTION OPTION [DEFAULT], or config_get SECTION OPTION, which prints
config_get() {
	case "$2${3:-$1}" in *[!A-Za-z0-9_]*) return 0 ;; esac
	if [ -z "$3" ]; then
		eval "echo \"\${CONFIG_${1}_${2}}\""
	else
		eval "$1=\"\${CONFIG_${2}_${3}:-\$4}\""
	fi
}

# get_bool VALUE [DEFAULT] prints 1, 0 or the default.
get_bool() {
	case "$1" in
	1 | on | true | yes | enabled) printf 1 ;;
	0 | off | false | no | disabled) printf 0 ;;
	*) printf %s "$2" ;;
	esac
}

# config_get_bool VARIABLE SECTION OPTION [DEFAULT]
config_get_bool() {
	local got
	config_get got "$2" "$3" "$4"
	eval "$1=\$(get_bool \"\$got\" \"\$4\")"
}

# config_set SECTION OPTION VALUE, for this shell alone
config_set() {
	eval "CONFIG_${1}_${2}=\$3"
}

# config_foreach FUNCTION [TYPE [ARGUMENT...]]
config_foreach() {
	local each_function=$1 each_type=$2 each_section each_is
	shift
	[ $# -eq 0 ] || shift
	for each_section in $CONFIG_SECTIONS; do
		config_get each_is "$each_section" TYPE
		[ -z "$each_type" ] || [ "$each_is" = "$each_type" ] || continue
		"$each_function" "$each_section" "$@"
	done
}

# config_list_foreach SECTION OPTION FUNCTION [ARGUMENT...]
config_list_foreach() {
	local list_section=$1 list_option=$2 list_function=$3 list_length list_number=1 list_value
	shift 3
	config_get list_length "$list_section" "${list_option}_LENGTH" 0
	while [ "$list_number" -le "$list_length" ]; do
		config_get list_value "$list_section" "${list_option}_ITEM$list_number"
		"$list_function" "$list_value" "$@"
		list_number=$((list_number + 1))
	done
}

# uci_get PACKAGE[.SECTION[.OPTION]] or uci_get PACKAGE SECTION OPTION [DEFAULT]
uci_get() {
	uci -q get "$1${2:+.$2}${3:+.$3}" || { [ -n "$4" ] && echo "$4"; }
}

board_name() { cat /tmp/sysinfo/board_name 2>/dev/null || echo lab; }

group_exists() { grep -qs "^$1:" "$IPKG_INSTROOT/etc/group"; }
user_exists() { grep -qs "^$1:" "$IPKG_INSTROOT/etc/passwd"; }

# add_group_and_user makes the accounts that the package asks for: USER=UID:GROUP=GID ...
add_group_and_user() {
	local wanted one user group info="$IPKG_INSTROOT/usr/lib/opkg/info/$pkgname.control"
	wanted=$(sed -n 's/^Require-User: *//p' "$info" 2>/dev/null)
	[ -n "$wanted" ] || wanted=$(cat "$IPKG_INSTROOT/lib/apk/packages/$pkgname.rusers" 2>/dev/null)
	for one in $wanted; do
		user=${one%%:*}
		group=${one#*:}
		group_exists "${group%%=*}" ||
			echo "${group%%=*}:x:${group#*=}:" >>"$IPKG_INSTROOT/etc/group"
		user_exists "${user%%=*}" ||
			echo "${user%%=*}:x:${user#*=}:${group#*=}::/var/run/${user%%=*}:/bin/false" >>"$IPKG_INSTROOT/etc/passwd"
	done
}

# The paths of the package's files, one a line, as the package manager at hand keeps them.
package_files() {
	local list="$IPKG_INSTROOT/lib/apk/packages/$pkgname.list"
	[ -f "$list" ] || list="$IPKG_INSTROOT/usr/lib/opkg/info/$pkgname.list"
	grep -s "^$1" "$list"
}

# default_postinst SCRIPT [ARGUMENT...]: after the files are in place
default_postinst() {
	local root=$IPKG_INSTROOT result=0 one
	local pkgname="${pkgname:-$(basename "${1%.*}")}"
	[ ! -e "$root/usr/lib/opkg/info/$pkgname.list" ] || add_group_and_user

	if [ -z "$root" ]; then
		! package_files /etc/modules.d/ >/dev/null || kmodloader
		! package_files /etc/sysctl.d/ >/dev/null || /etc/init.d/sysctl restart
		if package_files /etc/uci-defaults/ >/dev/null; then
			mkdir -p /tmp/.uci
			for one in $(package_files /etc/uci-defaults/); do
				([ -f "$one" ] && cd "${one%/*}" && . "$one") && rm -f "$one"
			done
			uci commit
		fi
		rm -f /tmp/luci-indexcache.*
	fi

	if [ -f "$root/usr/lib/opkg/info/$pkgname.postinst-pkg" ]; then
		(. "$root/usr/lib/opkg/info/$pkgname.postinst-pkg")
		result=$?
	fi

	for one in $(package_files /etc/init.d/); do
		if [ -n "$root" ]; then
			"$(command -v bash || echo /bin/sh)" "$root/etc/rc.common" "$root$one" enable
			continue
		fi
		[ "$PKG_UPGRADE" = 1 ] || "$one" enable
		"$one" start
	done
	return $result
}

# default_prerm SCRIPT [ARGUMENT...]: before the files go
default_prerm() {
	local root=$IPKG_INSTROOT result=0 one
	local pkgname="${pkgname:-$(basename "${1%.*}")}"

	if [ -f "$root/usr/lib/opkg/info/$pkgname.prerm-pkg" ]; then
		(. "$root/usr/lib/opkg/info/$pkgname.prerm-pkg")
		result=$?
	fi

	for one in $(package_files /etc/init.d/); do
		if [ -n "$root" ]; then
			"$(command -v bash || echo /bin/sh)" "$root/etc/rc.common" "$root$one" disable
			continue
		fi
		[ "$PKG_UPGRADE" = 1 ] || "$one" disable
		"$one" stop
	done
	return $result
}

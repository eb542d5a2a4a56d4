#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For collectd's exec plugin: sqmd-collectd.sh [FILE] passes on what contrib/prometheus/sqmd-textfile.sh has written.
# collectd refuses to start programs as root, and only root may ask sqmd. So root writes the file, from cron, and this
# script needs no rights but to read it.
set -u
file=${1:-/var/prometheus/sqmd.prom}
host=${COLLECTD_HOSTNAME:-$(uname -n)}

pause=${COLLECTD_INTERVAL:-60}
pause=${pause%%.*} # collectd says 30.000
[ "${pause:-0}" -ge 1 ] || pause=1
# collectd has to expect values no more often than cron writes them.
interval=$pause
[ "$interval" -ge 60 ] || interval=60

# Each of these is a file on the collecting side, so only what is worth a graph.
tell() {
	awk -v host="$host" -v interval="$interval" -v time="$1" '
		BEGIN {
			wanted = "sqmd_all_shaped sqmd_shaped sqmd_rate_bits_per_second sqmd_sent_bytes_total sqmd_dropped_packets_total " \
				"sqmd_backlog_bytes sqmd_repairs_total sqmd_delay_seconds sqmd_tin_sent_bytes_total sqmd_tin_dropped_packets_total " \
				"sqmd_tin_marked_packets_total sqmd_class_sent_bytes_total sqmd_class_dropped_packets_total sqmd_link_carrier"
			split(wanted, list, " ")
			for (i in list)
				pass[list[i]] = 1
		}

		# The value of a label, without what an identifier of collectd cannot hold. In a value, a quote has a backslash
		# before it, so that what looks like a label is one.
		function label(name,    text) {
			if (!match($0, "[{,]" name "=\"([^\"\\\\]|\\\\.)*\""))
				return ""
			text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
			gsub(/[^0-9A-Za-z_.-]/, "_", text)
			return "-" text
		}

		/^#/ { next }
		{
			name = $1
			sub(/[{].*/, "", name)
			if (!(name in pass))
				next
			type = name ~ /_total$/ ? "derive" : "gauge"
			sub(/^sqmd_/, "", name)
			sub(/_total$/, "", name)
			printf "PUTVAL \"%s/sqmd%s/%s-%s%s%s%s%s\" interval=%s %s:%s\n", host, label("device"), type, name,
				label("direction"), label("tin"), label("class"), label("kind"), interval, time, $NF
		}
	' "$file"
}

# As long as collectd lives. Values carry the time at which they were read: nothing old is told anew as if it were fresh.
told=
while [ -d "/proc/$PPID" ]; do
	written=$(date -r "$file" +%s 2>/dev/null) || written=$told
	if [ "$written" != "$told" ]; then
		tell "$written"
		told=$written
	fi
	sleep "$pause"
done

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes what sqmd counts for a textfile collector: sqmd-textfile.sh [FILE]. Run it as root from cron.
# The file is in Prometheus' text format 0.0.4. It is replaced whole or, when sqmd does not answer, removed: a collector must
# not go on telling that all is shaped.
set -eu
target=${1:-/var/prometheus/sqmd.prom}
dir=$(dirname "$target")

mkdir -p "$dir"
# In the same directory, so that the move is atomic; not *.prom, so that no collector reads it.
draft=$(mktemp "$dir/.sqmd.XXXXXX")
trap 'rm -f "$draft"' EXIT
trap 'exit 1' HUP INT TERM

# In this format, TYPE and HELP of a counter carry its _total, and there is no UNIT. The exit code of sqmd is of no use here:
# 1 also means that a queue is not shaped, which is one of the things to tell.
sqmd status --openmetrics | awk '
	$1 == "#" && $2 == "TYPE" && $4 == "counter" { counter = $3 }
	$1 == "#" && $2 == "UNIT" { next }
	$1 == "#" && $3 == counter && NF > 3 { sub(counter, counter "_total") }
	{ print }
' >"$draft"

if [ "$(tail -n 1 "$draft")" != '# EOF' ]; then
	rm -f "$target"
	echo "sqmd-textfile: sqmd status --openmetrics gave no whole answer; $target is removed" >&2
	exit 1
fi
chmod 644 "$draft"
mv -f "$draft" "$target"

#!/bin/sh
# What staging does to latency: examples/upf at 10 % and 90 % of what the original can do, packets arriving one by one; the original, and the
# optimized program that stages every batch, that stages those that are worth it (as it does by default), and with staging off, in turn.
# ROUNDS: default 11. usage: latency.sh [BUILD]; the last line is the result as JSON
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
. "$here/prepare"
# shellcheck disable=SC2086
"$here/latency.py" "${ROUNDS:-11}" $eal -- $input

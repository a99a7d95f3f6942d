#!/bin/sh
# What staging does to latency: examples/upf at 10 % and 90 % of what the original can do, packets arriving one by one; the original, and the
# optimized program that stages every batch, that stages those that are worth it (as it does by default), and with staging off, in turn.
# Builds it with heddle cc and plans it as scripts/demo does. ROUNDS: default 11. usage: latency.sh [BUILD]; the last line is the result as JSON
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
heddle=$build/bin/heddle
work=$build/bench/latency
eal="-l 0 --no-huge --no-pci -m 256 --no-shconf --no-telemetry --log-level=error"
input="--sessions sessions.txt --preload-n3 n3.pcap --preload-n6 n6.pcap"
mkdir -p "$work"
cd "$work"
"$build/bin/upf-workload" --generate 20000 --seed 7 --ues 512 --sessions 2000 --malformed 0.002 \
  --sessions-file sessions.txt --uplink n3.pcap --downlink n6.pcap > workload.log
make -s -C "$here/../../examples/upf" CC="$build/bin/heddle-cc" BUILD="$work"
# shellcheck disable=SC2086
{
  "$heddle" profile upf --stdout profile.out -- $eal -- $input
  "$heddle" plan upf --budget 160K --print > plan.txt
  "$heddle" build upf
  "$here/latency.py" "${ROUNDS:-11}" $eal -- $input
}

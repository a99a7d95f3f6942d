#!/bin/sh
# A whole program that waits for memory: examples/upf with a million sessions, and traffic in which hardly a packet's session, policers, counters
# or flow lie in a cache. Builds it with heddle cc and makes four plans of one profile: staged for the instruction cache as in
# scripts/demo, only hidden, both, and neither, which shows what being built again changes by itself. Outputs must be identical; then original and
# optimized run in turn. In BUILD/bench/upf: KIND.plan with the reason for every load, KIND.json, table.txt. Last line: JSON.
# usage: sessions.sh [BUILD] [KIND...]; ZIPF=yes: popular users and flows, in bursts; SESSIONS: default a million; PACKETS: to generate,
# default 400000; PAIRS: rounds of a bench, default 7.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# = 0 ] || shift
[ $# != 0 ] || set -- staged hidden both neither
heddle=$build/bin/heddle
work=$build/bench/upf
eal="-l 0 --no-huge --no-pci -m 256 --no-shconf --no-telemetry --log-level=error"
input="--sessions sessions.txt --preload-n3 n3.pcap --preload-n6 n6.pcap"

# options KIND: of its plan
options() {
  case $1 in
  staged) echo --no-hide ;;
  both) ;;
  hidden) echo --no-stage ;;
  neither) echo --no-stage --no-hide ;;
  *) echo "sessions.sh: there is no $1" >&2; exit 2 ;;
  esac
}

mkdir -p "$work"
cd "$work"
even=--uniform
[ -z "${ZIPF:-}" ] || even=
# shellcheck disable=SC2086
"$build/bin/upf-workload" --generate "${PACKETS:-400000}" --seed 7 --ues "${SESSIONS:-1000000}" --flows 200000 $even \
  --sessions-file sessions.txt --uplink n3.pcap --downlink n6.pcap > workload.log
make -s -C "$here/../../examples/upf" CC="$build/bin/heddle-cc" BUILD="$work"
# shellcheck disable=SC2086
"$heddle" profile upf --stdout profile.out -- $eal -- $input --packets 100000

for kind in "$@"; do
  programs="upf --optimized upf.$kind"
  # shellcheck disable=SC2046,SC2086
  {
    "$heddle" plan upf $(options "$kind") --print -o "$kind.plan.json" > "$kind.plan"
    "$heddle" build upf --plan "$kind.plan.json" -o "upf.$kind"
    "$heddle" verify $programs --filter 'stdout:/cycles=.*//' -- $eal -- $input --packets 100000 --record-n3 '{out}/n3.pcap' \
      --record-n6 '{out}/n6.pcap' --report '{out}/report' --stats '{out}/stats' > "$kind.verify" || { cat "$kind.verify"; exit 1; }
    "$heddle" bench $programs --metric 'pps=([0-9.]+)' --pairs "${PAIRS:-7}" --json "$kind.json" \
      -- $eal -- $input --loops 2 > "$kind.bench"
  }
done
"$here/table.py" "$@" > table.txt
cat table.txt

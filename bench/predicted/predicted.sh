#!/bin/sh
# What the models predict beside what is measured, and how good their choice is: `heddle plan --sweep` of each example program. Small programs
# (examples/forward) by what their packet bodies take, which is what the models speak of, on tables that the caches do not hold; examples/upf by
# packets per second. Outputs of all plans are compared with the original's. In BUILD/bench/predicted: PROGRAM.json, PROGRAM.sweep,
# table.md. Last line: JSON.
# usage: predicted.sh [BUILD] [PROGRAM...]; HOST: the calibrated host to plan for, default this one's; PAIRS: rounds, default 7; PACKETS: of a
# run of a small program, default 1 million.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# = 0 ] || shift
[ $# != 0 ] || set -- ipv4 ipv6 l2switch ndn crypto upf
heddle=$build/bin/heddle
results=$build/bench/predicted
eal="-l 0 --no-huge --no-pci --no-shconf --no-telemetry --log-level=error -m 512"

# entries PROGRAM: of its table. Of IPv4 routes DPDK takes time with the square of their number to add them.
entries() {
  case $1 in
  ipv4) echo 100000 ;;
  ipv6 | l2switch | ndn | crypto) echo 1000000 ;;
  *) echo "predicted.sh: there is no $1" >&2; exit 2 ;;
  esac
}

# sweep PROGRAM NAME METRIC FILTER ARGUMENTS...
sweep() {
  program=$1 name=$2 metric=$3 filter=$4
  shift 4
  "$heddle" plan "$program" --sweep ${HOST:+--host "$HOST"} --pairs "${PAIRS:-7}" --metric "$metric" --filter "$filter" \
    --json "$results/$name.json" -- "$@" > "$results/$name.sweep"
}

mkdir -p "$results"
cd "$results"
for name in "$@"; do
  # shellcheck disable=SC2086
  if [ "$name" = upf ]; then
    (
      . "$here/../upf/prepare"
      sweep upf upf 'pps=([0-9.]+)' 'stdout:/packets=.*//' $eal -- $input --loops 5
    )
  else
    table="--entries $(entries "$name")"
    make -s -C "$here/../../examples/forward" CC="$build/bin/heddle-cc" BUILD="$results" "forward-$name"
    "$heddle" profile "forward-$name" --stdout "$name.profile" -- $eal -- $table --packets 300000
    sweep "forward-$name" "$name" 'lower:body_ns=([0-9.]+)' 'stdout:/packets=.*//' $eal -- $table \
      --packets "${PACKETS:-1000000}" --timing --digest
  fi
done
"$here/table.py" "$@"

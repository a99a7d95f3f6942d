#!/bin/sh
# What a version takes, from the reading of the tables until it runs, after the control plane has changed a map of a program of
# examples/xdp: ROUNDS (21) times, two entries get another value. OPTIONS: of `heddle specialize`. The first version, which prepares for
# all, is apart.
# usage: swap.sh BUILD [PROGRAM MAP]; the last line is the result as JSON
set -- "$1" "${2:-router}" "${3:-hops}"
. "$(dirname "$0")/../../tests/net/common.sh"
. "$root/tests/net/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
/usr/bin/python3 "$root/bench/xdp/traffic.py" "$2" 0 "$work"
clang-19 -O2 "$root/tests/net/specialize/map.c" -lbpf -o "$work/map"
start_example "$2" "$work/tables"
# shellcheck disable=SC2086
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/$2.o" --json --period 0.01 ${OPTIONS:-} \
  >"$work/versions" 2>"$work/heddle.err" &
specialize=$!
wait_for "$work/versions" epoch
for round in $(seq "${ROUNDS:-21}"); do
  before=$(wc -l <"$work/versions")
  program=$(tail -1 "$work/versions" | sed 's/.*"program":\([0-9]*\).*/\1/')
  ip netns exec "$inside" "$work/map" "$program" "$3" fill 2 $((round % 2 + 3))
  for _ in $(seq 1000); do
    [ "$(wc -l <"$work/versions")" = "$before" ] || break
    sleep 0.01
  done
  [ "$(wc -l <"$work/versions")" != "$before" ] || fail "no version was made for other tables"
  sleep 1.5 # what a version has spent is saved up again
done
kill -0 $specialize || fail "heddle specialize has ended"
"$root/bench/xdp/swap.py" "$2, $3 changed${OPTIONS:+, $OPTIONS}" "$work/versions"

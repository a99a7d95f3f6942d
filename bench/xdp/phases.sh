#!/bin/sh
# How soon a version follows traffic that changes while it runs (Fig. 10a of the paper): a program of examples/xdp on PHASES (5) traces of
# one locality, each for SECONDS_EACH (4), with other flows. OPTIONS: of `heddle specialize`.
# usage: phases.sh BUILD [PROGRAM [LOCALITY]]; the last line is the result as JSON
set -- "$1" "${2:-firewall}" "${3:-1}"
. "$(dirname "$0")/../../tests/net/common.sh"
. "$root/tests/net/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
/usr/bin/python3 "$root/bench/xdp/traffic.py" "$2" "$3" "$work" "${PHASES:-5}"
clang-19 -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$root/bench/xdp/replay.bpf.c" -o "$work/replay.o"
clang-19 -O2 -Wall "$root/bench/xdp/replay.c" -lbpf -o "$work/replay"

start_example "$2" "$work/tables"
mkfifo "$work/measure"
traces=$work/trace
for phase in $(seq $((${PHASES:-5} - 1))); do traces="$traces $work/trace$phase"; done
# shellcheck disable=SC2086
ip netns exec "$inside" "$work/replay" "$work/replay.o" heddle0 "$work/trace" phases "${SECONDS_EACH:-4}" $traces \
  <"$work/measure" >"$work/times" &
replay=$!
exec 8<>"$work/measure" # with a reader, even if that one has ended
wait_for "$work/times" ready
# shellcheck disable=SC2086
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/$2.o" --json ${OPTIONS:-} >"$work/versions" 2>"$work/heddle.err" &
specialize=$!
wait_for "$work/versions" epoch
sleep "${SETTLE:-5}"
# Ticks of the processor that Heddle has had: `ip netns exec` becomes the command itself.
spent() { awk '{ print $14 + $15 }' "/proc/$specialize/stat"; }
before=$(spent)
echo >&8
wait $replay || fail "the bench has failed"
after=$(spent)
"$root/bench/xdp/phases.py" "$2, locality $3${OPTIONS:+, $OPTIONS}" "$work/times" "$work/versions" $((after - before))

#!/bin/sh
# Programs of examples/xdp, original and specialized in turn, on traffic of three localities or real packets (traffic.py), within the kernel.
# ROUNDS: pairs (default 21); OPTIONS: of `heddle specialize`; SETTLE: seconds of traffic before (default 5).
# usage: run.sh BUILD [PROGRAM [LOCALITY]]; the last line is the result as JSON
set -- "$1" "${2:-router}" "${3:-1}"
. "$(dirname "$0")/../../tests/net/common.sh"
. "$root/tests/net/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
/usr/bin/python3 "$root/bench/xdp/traffic.py" "$2" "$3" "$work"
clang-19 -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$root/bench/xdp/replay.bpf.c" -o "$work/replay.o"
clang-19 -O2 -Wall "$root/bench/xdp/replay.c" -lbpf -o "$work/replay"

start_example "$2" "$work/tables"
mkfifo "$work/measure"
ip netns exec "$inside" "$work/replay" "$work/replay.o" heddle0 "$work/trace" "${ROUNDS:-21}" <"$work/measure" >"$work/times" &
replay=$!
exec 8<>"$work/measure" # with a reader, even if that one has ended
wait_for "$work/times" ready
# shellcheck disable=SC2086
specialize_example "$2" ${OPTIONS:-}
sleep "${SETTLE:-5}"
echo >&8
wait $replay || fail "the bench has failed"
cat "$work/heddle.out" >&2
"$root/bench/xdp/ratio.py" "$2, locality $3${OPTIONS:+, $OPTIONS}" <"$work/times"

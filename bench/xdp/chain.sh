#!/bin/sh
# examples/xdp/chain on one trace, without Heddle, with it, and without again, SECONDS_EACH (8) each: the programs of a chain have one
# place, so original and specialized ones cannot run in turn. OPTIONS: of `heddle specialize`.
# usage: chain.sh BUILD [LOCALITY]; the last line is the result as JSON: nanoseconds per packet, medians and quartiles
set -- "$1" "${2:-1}"
. "$(dirname "$0")/../../tests/net/common.sh"
. "$root/tests/net/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
/usr/bin/python3 "$root/bench/xdp/traffic.py" chain "$2" "$work"
clang-19 -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$root/bench/xdp/replay.bpf.c" -o "$work/replay.o"
clang-19 -O2 -Wall "$root/bench/xdp/replay.c" -lbpf -o "$work/replay"

start_example chain "$work/tables"
mkfifo "$work/measure"
each=${SECONDS_EACH:-8}
ip netns exec "$inside" "$work/replay" "$work/replay.o" heddle0 "$work/trace" phases "$each" "$work/trace" "$work/trace" "$work/trace" \
  <"$work/measure" >"$work/times" &
replay=$!
exec 8<>"$work/measure" # with a reader, even if that one has ended
wait_for "$work/times" ready
sleep 1
echo >&8
sleep "$each"
# shellcheck disable=SC2086
specialize_example chain ${OPTIONS:-}
sleep "$each"
kill -TERM "$specialize"
wait $replay || fail "the bench has failed"
cat "$work/heddle.out" >&2
/usr/bin/python3 - "$work/times" "chain, locality $2${OPTIONS:+, $OPTIONS}" <<'END'
import json, statistics, sys
rows = [line.split() for line in open(sys.argv[1]) if line[0].isdigit()]
result = {"bench": sys.argv[2]}
for phase, name in enumerate(("before", "specialized", "after")):
    times = [(float(at), float(took)) for number, at, took, _ in rows if int(number) == phase]
    late = [took for at, took in times if at > (times[0][0] + times[-1][0]) / 2]
    result[name] = [round(value, 1) for value in statistics.quantiles(late, n=4)]
result["ratio"] = round((result["before"][1] + result["after"][1]) / 2 / result["specialized"][1], 2)
print(json.dumps(result))
END

#!/bin/sh
# Programs of examples/xdp, original and specialized in turn, on packets that come by one veth pair and go on by others, between network
# namespaces (end_to_end.c): packets per second as fast as they come, and latency at SHARE (0.5) of what the original can do. Each packet
# that arrives is compared. What the way takes by itself is measured, too, with a program that only forwards.
# ROUNDS (21), each with five turns of SECONDS (0.3); OPTIONS: of `heddle specialize`; SETTLE: seconds of traffic before (default 5).
# usage: end_to_end.sh BUILD [PROGRAM [LOCALITY]]; the last line is the result as JSON
. "$(dirname "$0")/../../tests/net/common.sh"
. "$root/tests/net/specialize_common.sh"
program=${2:-router} locality=${3:-1}
[ "$(nproc)" -ge 2 ] || skip "$test_name needs two processors: one sends, one forwards"
make_namespaces
behind=heddle-behind-$$
undo="ip netns delete $behind"
ip netns add "$behind"
ip netns exec "$behind" sh -c 'for f in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 >"$f"; done' 2>/dev/null || true

# pair NAME INDEX NAMESPACE: the same index at both ends (end_to_end.h).
pair() {
  ip -n "$inside" link add "$1" index "$2" mtu 2000 type veth peer name "$1" index "$2" mtu 2000 netns "$3"
  ip -n "$inside" link set "$1" up
  ip -n "$3" link set "$1" up
}
front=in$$ # its thread is napi/in...
pair "$front" 9 "$outside"
for port in 2 3 4 5; do pair "port$port" $port "$behind"; done
wire heddle0 heddle1 # where Heddle is; nothing comes there

# Tables for these interfaces: hops in turn behind the ports, and the switch's packets come by the first pair.
/usr/bin/python3 "$root/bench/xdp/traffic.py" "$program" "$locality" "$work"
awk '$1 == "hop" && NF == 3 { $3 = 2 + $2 % 4 } $1 == "port" && $2 == 1 { $2 = 9 } { print }' "$work/tables" >"$work/wired"
clang-19 -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$root/bench/xdp/end_to_end.bpf.c" -o "$work/end_to_end.o"
clang-19 -O2 -Wall "$root/bench/xdp/end_to_end.c" -lbpf -o "$work/end_to_end"

start_example "$program" "$work/wired"
mkfifo "$work/measure"
taskset -c 0 "$work/end_to_end" "$work/end_to_end.o" "$work/trace" "$inside" "$outside" "$behind" "${ROUNDS:-21}" "${SECONDS_EACH:-0.3}" \
  "${SHARE:-0.5}" <"$work/measure" >"$work/turns" 2>"$work/errors" &
bench=$!
undo="kill -9 $bench 2>/dev/null || true; $undo"
exec 8<>"$work/measure" # with a reader, even if that one has ended

# until_written TEXT: by the bench.
until_written() {
  for _ in $(seq 200); do
    ! grep -qs "$1" "$work/turns" || return 0
    ! grep -qs "no native XDP" "$work/errors" || skip "$test_name: $(grep "no native XDP" "$work/errors")"
    kill -0 $bench 2>/dev/null || break
    sleep 0.1
  done
  fail "the bench has failed: $(cat "$work/errors")"
}

# A thread of its own takes what comes, on the other processor. Both threads go before whatever else runs; they rest between turns.
until_written wired
echo 1 | ip netns exec "$inside" tee "/sys/class/net/$front/threaded" >/dev/null || skip "$test_name: no thread for the interface"
thread=$(pgrep "^napi/$front") || skip "$test_name: no thread for the interface"
taskset -cp 1 "$thread" >/dev/null
for process in $bench $thread; do chrt -f -p 50 "$process" || echo "no real-time priority: other work will disturb this"; done
echo >&8
until_written ready
# shellcheck disable=SC2086
specialize_example "$program" ${OPTIONS:-}
# Heddle before both: what it has to answer it answers at once, as where a third processor is left for it.
for process in $specialize $(pgrep -P "$specialize"); do chrt -a -f -p 51 "$process" || true; done
sleep "${SETTLE:-5}"
echo >&8
wait $bench || fail "the bench has failed: $(cat "$work/errors")"
cat "$work/heddle.out" "$work/turns" >&2
"$root/bench/xdp/end_to_end.py" "end to end, $program, locality $locality${OPTIONS:+, $OPTIONS}" "$work/turns"

#!/bin/sh
# A UDP server on epoll and recvmmsg, asked over a veth pair: profiled on live traffic, optimized, and asked again. Each
# program must give every answer right and in order, and print the same at its end.
# usage: echo_server.sh BUILD
. "$(dirname "$0")/common.sh"
make_namespaces
wire server client
ip -n "$inside" address add 10.77.0.1/24 dev server
ip -n "$outside" address add 10.77.0.2/24 dev client

program=$work/echo_server
"$bin/heddle-cc" -O2 -I"$root/include" "$here/echo_server.c" -o "$program"

# Until the server's socket is bound, requests would be lost. 7777 is 1E61.
await_server() {
  for _ in $(seq 600); do
    ip netns exec "$inside" grep -q ':1E61 ' /proc/net/udp && return
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  return 1
}

# ask NAME COMMAND...: runs the command as the server; its output, its errors and the answers are in $work/NAME*.
ask() {
  name=$1
  shift
  ip netns exec "$inside" "$@" >"$work/$name.out" 2>"$work/$name.err" &
  server=$!
  await_server $server || { cat "$work/$name.err"; fail "$name: the server does not start"; }
  ip netns exec "$outside" "$here/echo_client.py" 10.77.0.1 7777 3200 "$work/$name.answers" ||
    { cat "$work/$name.err"; fail "$name: answers are missing or wrong"; }
  wait $server || { cat "$work/$name.err"; fail "$name ended with an error"; }
}

ask profiled "$heddle" profile "$program" -- 10.77.0.1 7777
"$heddle" plan "$program" --policy finest --budget 1K
"$heddle" build "$program"
ask original "$program" 10.77.0.1 7777
for batch in 1 8 32; do
  HEDDLE_BATCH=$batch SHOW_CROSSINGS=1 ask "batch-$batch" "$program.heddle" 10.77.0.1 7777
  for file in out answers; do
    cmp "$work/original.$file" "$work/batch-$batch.$file" || fail "batch $batch: $file differs"
  done
done
grep -q 'crossings [1-9]' "$work/batch-32.err" || fail "no packet was ever suspended"
echo "identical at batch 1, 8 and 32: $(cat "$work/batch-32.err")"

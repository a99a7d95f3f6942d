#!/bin/sh
# An AF_XDP socket on a veth, asked in bursts: each answer the original's, in order. Needs libxdp, and a kernel with AF_XDP.
# usage: xsk_server.sh BUILD
. "$(dirname "$0")/common.sh"
[ -e /usr/include/xdp/xsk.h ] || skip "$test_name needs libxdp's headers (package libxdp-dev)"
make_namespaces
wire server client

program=$work/xsk_server
"$bin/heddle-cc" -O2 -I"$root/include" "$here/xsk_server.c" -lxdp -lbpf -o "$program"
# Namespaces have no BPF file system to share a program in; one socket needs none.
export LIBXDP_SKIP_DISPATCHER=1

# start NAME COMMAND...: runs the command as the server; its output and its errors are in $work/NAME.out and .err. The queue
# of the one before it is free only some time after its end.
start() {
  name=$1
  shift
  for _ in $(seq 50); do
    : >"$work/$name.err"
    ip netns exec "$inside" "$@" >"$work/$name.out" 2>"$work/$name.err" &
    server=$!
    for _ in $(seq 100); do
      grep -q ready "$work/$name.err" && return
      kill -0 $server 2>/dev/null || break
      sleep 0.1
    done
    grep -q 'busy' "$work/$name.err" || return 1
    sleep 0.2
  done
  return 1
}

# ask NAME COMMAND...: the answers are in $work/NAME.answers.
ask() {
  start "$@" || fail "$name: the server does not start: $(cat "$work/$name.err")"
  ip netns exec "$outside" "$here/capture_client.py" client 64 4096 "$work/$name.answers" ||
    { cat "$work/$name.err"; fail "$name: answers are missing"; }
  wait $server || { cat "$work/$name.err"; fail "$name ended with an error"; }
}

start probe "$program" server || skip "$test_name: $(tail -1 "$work/probe.err")"
kill $server
ask original "$program" server
ask profiled "$heddle" profile "$program" -- server
"$heddle" plan "$program" --policy finest --budget 1K
"$heddle" build "$program"
for batch in 1 8 32; do
  name=batch-$batch
  HEDDLE_BATCH=$batch SHOW_CROSSINGS=1 ask "$name" "$program.heddle" server
  for file in out answers; do
    cmp "$work/original.$file" "$work/$name.$file" || fail "$name: $file differs"
  done
done
grep -q 'crossings [1-9]' "$work/batch-32.err" || fail "no packet was ever suspended"
echo "identical at batch 1, 8 and 32: $(grep crossings "$work/batch-32.err")"

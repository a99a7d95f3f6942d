#!/bin/sh
# A live capture that is read packet by packet (pcap_next_ex) and answered over a veth pair, in bursts and in lockstep: each
# answer the original's, in order, and none is kept back for a packet that is yet to come.
# usage: capture_server.sh BUILD
. "$(dirname "$0")/common.sh"
make_namespaces
wire server client

program=$work/capture_server
"$bin/heddle-cc" -O2 -I"$root/include" "$here/capture_server.c" -lpcap -o "$program"

# ask NAME BURST COMMAND...: runs the command as the server; its output, its errors and the answers are in $work/NAME*.
ask() {
  name=$1
  burst=$2
  shift 2
  : >"$work/$name.err"
  ip netns exec "$inside" "$@" >"$work/$name.out" 2>"$work/$name.err" &
  server=$!
  for _ in $(seq 600); do
    grep -q ready "$work/$name.err" && break
    kill -0 $server 2>/dev/null || fail "$name: the server does not start: $(cat "$work/$name.err")"
    sleep 0.1
  done
  ip netns exec "$outside" "$here/capture_client.py" client "$burst" $((32 * burst)) "$work/$name.answers" ||
    { cat "$work/$name.err"; fail "$name: answers are missing"; }
  wait $server || { cat "$work/$name.err"; fail "$name ended with an error"; }
}

ask profiled 32 "$heddle" profile "$program" -- server wait
"$heddle" plan "$program" --policy finest --budget 1K
"$heddle" build "$program"
for burst in 32 1; do
  ask "original-$burst" $burst "$program" server wait
  for how in wait dontwait; do
    for batch in 1 8 32; do
      name=$how-$burst-$batch
      HEDDLE_BATCH=$batch SHOW_CROSSINGS=1 ask "$name" $burst "$program.heddle" server $how
      for file in out answers; do
        cmp "$work/original-$burst.$file" "$work/$name.$file" || fail "$name: $file differs"
      done
    done
  done
done
for how in wait dontwait; do
  grep -q 'crossings [1-9]' "$work/$how-32-32.err" || fail "$how: no packet was ever suspended"
done
echo "identical at batch 1, 8 and 32: $(grep crossings "$work/wait-32-32.err")"

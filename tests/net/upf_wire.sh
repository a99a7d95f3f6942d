#!/bin/sh
# The user-plane function between two veth pairs: frames go in on raw sockets, and what comes out at the other ends must
# be the same, byte by byte and in order, for the original and for the optimized program at several batch sizes.
# usage: upf_wire.sh BUILD
. "$(dirname "$0")/common.sh"
prepare_upf
make_namespaces
wire n3 gnb
wire n6 core

# From when the program's two packet sockets are bound, what arrives waits in their rings.
await_ports() {
  for _ in $(seq 300); do
    [ "$(ip netns exec "$inside" awk '$5 > 0' /proc/net/packet | grep -vc '^sk')" = 2 ] && return
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  return 1
}

# run NAME PROGRAM BATCH: what both sides received is in $work/NAME-gnb.pcap and $work/NAME-core.pcap.
run() {
  # The rings hold all that is sent before an answer is waited for.
  ring=blocksz=16384,framesz=2048,framecnt=4096
  # shellcheck disable=SC2086
  HEDDLE_BATCH=$3 ip netns exec "$inside" "$2" $eal --no-huge -m 256 --file-prefix "heddle$$" \
    --vdev "net_af_packet0,iface=n3,$ring" --vdev "net_af_packet1,iface=n6,$ring" \
    -- --sessions "$shared/sessions.txt" --idle 0 --stats "$work/$1-stats" >"$work/$1-log" 2>&1 &
  program=$!
  await_ports $program || { cat "$work/$1-log"; fail "$1: its ports did not start"; }
  ip netns exec "$outside" "$here/wire.py" "$shared/sessions.txt" gnb "$shared/n3.pcap" "$work/$1-gnb.pcap" \
    core "$shared/n6.pcap" "$work/$1-core.pcap" || { cat "$work/$1-log"; fail "$1: no traffic passed"; }
  kill -TERM $program
  wait $program || { cat "$work/$1-log"; fail "$1 ended with an error"; }
}

run original "$upf" 0
for batch in 1 8 32; do
  run "batch-$batch" "$upf.heddle" $batch
  for file in gnb.pcap core.pcap stats; do
    cmp "$work/original-$file" "$work/batch-$batch-$file" || fail "batch $batch: $file differs"
  done
done
echo "identical at batch 1, 8 and 32: $(cat "$work/original-log" | tr '\n' ' ')"

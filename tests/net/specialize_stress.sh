#!/bin/sh
# Control-plane updates from several processes while packets run through `heddle specialize`'s versions: none is wrong.
# PACKETS sets how many (default 300,000; the long run takes 10,000,000). usage: specialize_stress.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
compile_xdp stress

clang-19 -O2 "$here/specialize/stress.c" -lbpf -o "$work/stress"
mkfifo "$work/go"

# run PACKETS ROUNDS PASS OPTIONS: PASS is what becomes of the large table.
run() {
  packets=$1 rounds=$2 pass=$3
  shift 3
  rm -f "$work/stress.out" "$work/heddle.out" # the last run's
  ip netns exec "$inside" "$work/stress" "$work/stress.o" heddle0 "$packets" "$rounds" <"$work/go" >"$work/stress.out" 2>&1 &
  stress=$!
  exec 9>"$work/go"
  wait_for "$work/stress.out" attached
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/stress.o" --period 0.02 --cpu 100 "$@" >"$work/heddle.out" 2>&1 &
  specialize=$!
  wait_for "$work/heddle.out" inline-table
  echo >&9
  wait $stress || { cat "$work/stress.out"; tail -5 "$work/heddle.out"; fail "packets were wrong"; }
  kill -TERM $specialize 2>/dev/null || { cat "$work/heddle.out"; fail "heddle specialize has ended"; }
  wait $specialize || true
  ip -n "$inside" link set dev heddle0 xdp off
  grep -q "$pass: large" "$work/heddle.out" || { tail -20 "$work/heddle.out"; fail "no version had $pass for the large table"; }
  tail -1 "$work/stress.out"
  echo "versions: $(grep -c epoch "$work/heddle.out"), of which with $pass: $(grep -c "$pass: large" "$work/heddle.out")"
}

# Long packets are such that tables change in the middle of many.
all() {
  run "${PACKETS:-300000}" 0 "$@"
  run "${LONG_PACKETS:-30000}" 2000 "$@"
}

all index-table
all hot-keys --disable index-table --sampling 10
all constant-fields --disable index-table,hot-keys

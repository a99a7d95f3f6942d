#!/bin/sh
# Control-plane updates from several processes while packets run through `heddle specialize`'s versions: none is wrong.
# PACKETS sets how many (default 300,000; the long run takes 10,000,000). usage: specialize_stress.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
compile_xdp stress
"$bin/heddle-cc" -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$root/examples/xdp/router/router.bpf.c" \
  -o "$work/stress_router.o"
for name in stress stress_router; do
  clang-19 -O2 -Wall "$here/specialize/$name.c" -lbpf -o "$work/$name"
done
mkfifo "$work/go"

# run NAME PACKETS ROUNDS TABLE PASS OPTIONS: PASS is what becomes of the table; ROUNDS may be empty.
run() {
  name=$1 packets=$2 rounds=$3 table=$4 pass=$5
  shift 5
  rm -f "$work/stress.out" "$work/heddle.out" # the last run's
  # shellcheck disable=SC2086
  ip netns exec "$inside" "$work/$name" "$work/$name.o" heddle0 "$packets" $rounds <"$work/go" >"$work/stress.out" 2>&1 &
  stress=$!
  exec 9>"$work/go"
  wait_for "$work/stress.out" attached
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/$name.o" --period 0.02 --cpu 100 "$@" >"$work/heddle.out" 2>&1 &
  specialize=$!
  wait_for "$work/heddle.out" epoch
  echo >&9
  wait $stress || { cat "$work/stress.out"; tail -5 "$work/heddle.out"; fail "packets were wrong"; }
  kill -TERM $specialize 2>/dev/null || { cat "$work/heddle.out"; fail "heddle specialize has ended"; }
  wait $specialize || true
  ip -n "$inside" link set dev heddle0 xdp off
  grep -q "$pass: $table" "$work/heddle.out" || { tail -20 "$work/heddle.out"; fail "no version had $pass for $table"; }
  echo "$name: $(tail -1 "$work/stress.out"), versions: $(grep -c epoch "$work/heddle.out"), with $pass: $(grep -c "$pass: $table" "$work/heddle.out")"
}

# Long packets are such that tables change in the middle of many.
all() {
  run stress "${PACKETS:-300000}" 0 large "$@"
  run stress "${LONG_PACKETS:-30000}" 2000 large "$@"
}

all index-table
all hot-keys --disable index-table --sampling 10
all constant-fields --disable index-table,hot-keys
run stress_router "${PACKETS:-300000}" "" routes4 index-table
run stress_router "${PACKETS:-300000}" "" routes4 hot-keys --disable index-table --sampling 10

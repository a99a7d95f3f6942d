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

# run NAME PACKETS ROUNDS OPTIONS: ROUNDS may be empty. What Heddle says is added to $work/versions.
run() {
  name=$1 packets=$2 rounds=$3
  shift 3
  rm -f "$work/stress.out" "$work/heddle.out" # the last run's
  # shellcheck disable=SC2086
  ip netns exec "$inside" "$work/$name" "$work/$name.o" heddle0 "$packets" $rounds <"$work/go" >"$work/stress.out" 2>&1 &
  stress=$!
  exec 9>"$work/go"
  wait_for "$work/stress.out" attached
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/$name.o" --costs built-in --period 0.02 --cpu 100 "$@" >"$work/heddle.out" 2>&1 &
  specialize=$!
  wait_for "$work/heddle.out" epoch
  echo >&9
  wait $stress || { cat "$work/stress.out"; tail -5 "$work/heddle.out"; fail "packets were wrong"; }
  kill -TERM $specialize 2>/dev/null || { cat "$work/heddle.out"; fail "heddle specialize has ended"; }
  wait $specialize || true
  ip -n "$inside" link set dev heddle0 xdp off
  cat "$work/heddle.out" >>"$work/versions"
  echo "$name $*: $(tail -1 "$work/stress.out"), versions: $(grep -c epoch "$work/heddle.out")"
}

# Long packets are such that tables change in the middle of many.
all() {
  run stress "${PACKETS:-300000}" 0 "$@"
  run stress "${LONG_PACKETS:-10000}" 2000 "$@"
}

# had TEXT: some version of the runs since the last call had done that.
had() {
  grep -q "$1" "$work/versions" || { tail -20 "$work/versions"; fail "no version had \"$1\""; }
  rm "$work/versions"
}

all
had "index-table: large"
all --disable index-table --sampling 10
had "hot-keys: large"
all --disable index-table,hot-keys
grep -q "branch-injection: rare" "$work/versions" || fail "no version had \"branch-injection: rare\""
had "branch-injection: large"
run stress "${LONG_PACKETS:-10000}" 2000 --disable index-table,hot-keys,guard-elision
had "constant-fields: large"
run stress_router "${PACKETS:-300000}" ""
had "index-table: routes4"
run stress_router $((2 * ${PACKETS:-300000})) "" --disable index-table --sampling 10
had "hot-keys: routes4"

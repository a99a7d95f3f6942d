#!/bin/sh
# Entries of the examples' tables that come and go while golden packets run through `heddle specialize`'s versions: none is wrong.
# PACKETS sets how many of each (default 300,000). usage: specialize_stress_examples.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
mkfifo "$work/go"

# run NAME PACKETS DONE MAPS: DONE is something that a version must have done.
run() {
  name=$1 packets=$2 done=$3
  shift 3
  example=$root/examples/xdp/$name
  rm -f "$work/stress.out" "$work/heddle.out" "$work/metrics" # the last run's
  "$bin/heddle-cc" -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$example/$name.bpf.c" -o "$work/$name.o"
  clang-19 -O2 -Wall "$here/specialize/stress_example.c" "$example/fill.c" -lbpf -o "$work/stress_example"
  ip netns exec "$inside" "$work/stress_example" "$work/$name.o" heddle0 "$example/small.txt" "$example/golden.txt" \
    "$packets" "$@" <"$work/go" >"$work/stress.out" 2>&1 &
  stress=$!
  exec 9>"$work/go"
  wait_for "$work/stress.out" attached
  # shellcheck disable=SC2086
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/$name.o" --costs built-in --period 0.02 --cpu 100 --prometheus "$work/metrics" ${options:-} >"$work/heddle.out" 2>&1 &
  specialize=$!
  wait_for "$work/heddle.out" "$done"
  echo >&9
  wait $stress || { cat "$work/stress.out"; tail -5 "$work/heddle.out"; fail "$name: packets were wrong"; }
  ! grep -q "\"on_specialized\": 0,\|\"members_specialized\": \[\(.*, \)\?0[],]" "$work/stress.out" ||
    { tail -1 "$work/stress.out"; fail "$name: no packet has met a version, or a member of the chain had none"; }
  wait_for "$work/metrics" "^heddle_missed_packets_total{.*} [1-9]" # some have met tables that had just changed
  kill -TERM $specialize 2>/dev/null || { cat "$work/heddle.out"; fail "heddle specialize has ended"; }
  wait $specialize || true
  ip -n "$inside" link set dev heddle0 xdp off
  echo "$name: $(grep entries "$work/stress.out"), $(tail -1 "$work/stress.out"), versions: $(grep -c epoch "$work/heddle.out")"
}

most=${PACKETS:-300000}
run router "$most" "inline-table: hops" routes4 routes6 hops own4
run balancer "$most" "inline-table: servers" services servers uplinks quic_servers
options="--disable inline-table" # so its services are in an index of any keys
run balancer "$most" "index-table: services" services servers uplinks quic_servers
options=
run firewall "$most" "inline-table: protocols" sources destinations protocols destination_ports actions
run nat $((most / 100)) "inline-table: services" services -inward -outward # whose large tables take a millisecond to be emptied
run switch "$most" "inline-table: ports" ports
run chain "$most" "inline-table: hops" blocked services routes hops

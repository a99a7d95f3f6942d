#!/bin/sh
# The programs of examples/xdp: their golden packets, through the original and through `heddle specialize`'s version.
# usage: specialize_examples.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1

# check NAME PERFORMED: PERFORMED is something that the version must have done.
check() {
  rm -f "$work/go" "$work/example.out" "$work/heddle.out" # the last one's
  start_example "$1" "$root/examples/xdp/$1/small.txt" "$root/examples/xdp/$1/golden.txt"
  specialize_example "$1"
  finish_example
  [ "$(grep -c '"wrong": 0' "$work/example.out")" = 2 ] || fail "$1: they did not run twice"
  grep -q "$2" "$work/heddle.out" || { cat "$work/heddle.out"; fail "$1 was not specialized"; }
  kill -TERM "$specialize"
  wait "$specialize" || true
  ip -n "$inside" link set dev heddle0 xdp off
  echo "$1: $(tail -1 "$work/example.out")"
}

check router "inline-table: routes4"
check balancer "inline-table: services"
check firewall "inline-table: sources"
check nat "inline-table: services"
check switch "inline-table: ports"

# large NAME PERFORMED...: with tables as the benches have them, which take other code, no pass is refused.
large() {
  name=$1
  shift
  rm -f "$work/go" "$work/example.out"
  /usr/bin/python3 "$root/bench/xdp/traffic.py" "$name" 0 "$work"
  start_example "$name" "$work/tables"
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/$name.o" --costs built-in --dry-run >"$work/large"
  for performed in "accepted by the verifier" "$@"; do
    grep -q "$performed" "$work/large" || { cat "$work/large"; fail "$name: no \"$performed\""; }
  done
  ! grep "refused" "$work/large" || fail "$name: a pass is refused"
  finish_example
  ip -n "$inside" link set dev heddle0 xdp off
}

large router "index-table: routes4" "index-table: hops"
large balancer "index-table: servers"
large firewall "index-table: sources" "index-table: destination_ports"
large nat
large switch

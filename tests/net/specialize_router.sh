#!/bin/sh
# examples/xdp/router: its golden packets, through the original and through `heddle specialize`'s version.
# usage: specialize_router.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
start_router "$root/examples/xdp/router/small.txt" golden "$root/examples/xdp/router/golden.txt"
wait "$router" || { cat "$work/router.out"; fail "golden packets are wrong"; }
[ "$(grep -c '"wrong": 0' "$work/router.out")" = 2 ] || fail "they did not run twice"
grep -q "inline-table: routes4" "$work/heddle.out" || fail "nothing was specialized"
tail -1 "$work/router.out"

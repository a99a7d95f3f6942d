#!/bin/sh
# examples/xdp/router: its golden packets, through the original and through `heddle specialize`'s version.
# usage: specialize_router.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
start_example router "$root/examples/xdp/router/small.txt" "$root/examples/xdp/router/golden.txt"
specialize_example router
finish_example
[ "$(grep -c '"wrong": 0' "$work/example.out")" = 2 ] || fail "they did not run twice"
grep -q "inline-table: routes4" "$work/heddle.out" || fail "nothing was specialized"
tail -1 "$work/example.out"

#!/bin/sh
# examples/xdp/router, original and specialized in turn: bpf_prog_test_run within the kernel, tables of ten routes, warm.
# ROUNDS: pairs (default 21). usage: router.sh BUILD; the last line is the result as JSON
. "$(dirname "$0")/../../tests/net/common.sh"
. "$root/tests/net/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
start_router "$root/examples/xdp/router/small.txt" bench "${ROUNDS:-21}"
wait "$router" || { cat "$work/router.out"; fail "the bench has failed"; }
grep epoch "$work/heddle.out" | tail -1
"$root/bench/xdp/ratio.py" "router, 7+3 routes" <"$work/router.out"

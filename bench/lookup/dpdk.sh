#!/bin/sh
# DPDK 22.11.11 from Debian's source package, of which bench/lookup compiles two look-up functions itself: lib/lpm/rte_lpm6.c and
# lib/hash/rte_cuckoo_hash.c. The rest comes from libdpdk-dev. Argument: work folder (build/bench/lookup/dpdk).
. "$(dirname "$0")/../../tests/apps/common.sh"
app dpdk 22.11.11 "${1:-}"
program=$work/tree/lib/lpm/rte_lpm6.c
[ ! -f "$program" ] || { say "unpacked before: $work/tree"; exit 0; }
need libdpdk-dev pkg-config
fetch_source dpdk 22.11.11
unpack dpdk 22.11.11 "$work/tree"
[ -f "$program" ] || fail "the source has no $program"
say "unpacked: $work/tree"

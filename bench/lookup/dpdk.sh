#!/bin/sh
# DPDK 22.11.11's look-ups from Debian's source package, as headers that bench/lookup can inline: its own text, with a line of
# annotation before what is expected to miss (G-Opt, section 3.3), and casts where C++ wants them. The rest of DPDK comes from
# libdpdk-dev, of the same version: its tables are looked up in.
#   WORK/rte_lpm6_lookup.h  lookup_step and rte_lpm6_lookup of lib/lpm/rte_lpm6.c
#   WORK/rte_hash_lookup.h  rte_hash_lookup_with_hash, without lock-free writers, of lib/hash/rte_cuckoo_hash.c
# Argument: work folder (build/bench/lookup/dpdk).
. "$(dirname "$0")/../../tests/apps/common.sh"
version=22.11.11
app dpdk $version "${1:-}"
lpm6=$work/rte_lpm6_lookup.h hash=$work/rte_hash_lookup.h
if [ -f "$hash" ] && [ "$hash" -nt "$0" ]; then
  say "ready before: $work"
  exit 0
fi
need libdpdk-dev pkg-config
[ "$(pkg-config --modversion libdpdk)" = $version ] || skip "libdpdk-dev is not $version"
if [ ! -f "$work/tree/lib/lpm/rte_lpm6.c" ]; then
  fetch_source dpdk $version
  unpack dpdk $version "$work/tree"
fi

# functions NAMES FILE: as static inline ones, whatever they return being int or told in their line before.
functions() {
  awk -v wanted="^($1)\\(" '
    $0 ~ wanted { print (before ~ /uint/ ? before : "static inline int"); in_function = 1 }
    in_function { print }
    /^}/ { in_function = 0 }
    { before = $0 }
  ' "$2"
}

# has COUNT LINE FILE
has() { [ "$(grep -cF "$2" "$3")" = "$1" ] || { rm "$3"; fail "DPDK's source is not as expected: $2"; }; }

source=$work/tree/lib/lpm/rte_lpm6.c
{
  printf '#pragma once\n#include <rte_common.h>\n#include <errno.h>\n#include <rte_lpm6.h>\n'
  grep -E '^#define (RTE_LPM6_|LOOKUP_FIRST_BYTE|BYTE)' "$source"
  sed -n '/^struct rte_lpm6_tbl_entry {/,/^};/p; /^struct rte_lpm6 {/,/^};/p' "$source"
  functions 'lookup_step|rte_lpm6_lookup' "$source" | sed 's/^rte_lpm6_lookup(/lpm6_lookup(/
    s/^\ttbl_entry = \*(const uint32_t \*)tbl;/\tEXPENSIVE(tbl);\n&/'
} > "$lpm6"
has 1 'EXPENSIVE(tbl);' "$lpm6"
has 2 'static inline int' "$lpm6"

source=$work/tree/lib/hash/rte_cuckoo_hash.c
{
  printf '#pragma once\n#include <errno.h>\n#include <string.h>\n#include <rte_common.h>\n#include <rte_hash.h>\n'
  printf '#include <rte_ring.h>\n#include <rte_rwlock.h>\n#include "tree/lib/hash/rte_cuckoo_hash.h"\n'
  sed -n '/^#define FOR_EACH_BUCKET/,/[^\\]$/p' "$source" | sed 's/= CURRENT_BKT/= (struct rte_hash_bucket *)CURRENT_BKT/'
  functions 'get_short_sig|get_prim_bucket_index|get_alt_bucket_index|rte_hash_cmp_eq' "$source"
  functions '__hash_rw_reader_lock|__hash_rw_reader_unlock' "$source" | sed 's/^static inline int/static inline void/'
  functions 'search_one_bucket_l|__rte_hash_lookup_with_hash_l' "$source" | sed '
    s/^__rte_hash_lookup_with_hash_l(/hash_lookup_with_hash(/
    s/\*keys = h->key_store;/*keys = (struct rte_hash_key *)h->key_store;\n\n\tEXPENSIVE(bkt);/
    s/^\t*if (rte_hash_cmp_eq(key, k->key, h) == 0) {/\t\t\tEXPENSIVE(k);\n&/'
} > "$hash"
has 1 'EXPENSIVE(bkt);' "$hash"
has 1 'EXPENSIVE(k);' "$hash"
has 1 '= (struct rte_hash_bucket *)CURRENT_BKT->next' "$hash"
say "ready: $work"

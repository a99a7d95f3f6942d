#!/bin/sh
# DPDK 22.11.11's IPv6 look-up from Debian's source package, as a header that bench/lookup can inline: WORK/rte_lpm6_lookup.h. It is
# lib/lpm/rte_lpm6.c's own text, lookup_step and rte_lpm6_lookup with the structures they use; with one line of annotation, before
# an entry is read (G-Opt, section 3.3). The rest of DPDK comes from libdpdk-dev, of the same version: its tables are looked up in.
# Argument: work folder (build/bench/lookup/dpdk).
. "$(dirname "$0")/../../tests/apps/common.sh"
version=22.11.11
app dpdk $version "${1:-}"
header=$work/rte_lpm6_lookup.h
if [ ! -f "$header" ] || [ "$0" -nt "$header" ]; then
  need libdpdk-dev pkg-config
  [ "$(pkg-config --modversion libdpdk)" = $version ] || skip "libdpdk-dev is not $version"
  if [ ! -f "$work/tree/lib/lpm/rte_lpm6.c" ]; then
    fetch_source dpdk $version
    unpack dpdk $version "$work/tree"
  fi
  {
    echo '#pragma once'
    echo '#include <rte_common.h>'
    echo '#include <errno.h>'
    echo '#include <rte_lpm6.h>'
    awk '
      /^#define (RTE_LPM6_|LOOKUP_FIRST_BYTE|BYTE)/ { print }
      /^struct rte_lpm6_tbl_entry \{/ || /^struct rte_lpm6 \{/ { in_struct = 1 }
      in_struct { print }
      /^};/ { in_struct = 0 }
      # the line of the type comes before the name: it is known only then that it was wanted
      /^(lookup_step|rte_lpm6_lookup)\(/ { sub(/^rte_/, ""); print "static inline int"; in_function = 1 }
      in_function && /tbl_entry = \*\(const uint32_t \*\)tbl;/ { print "\tEXPENSIVE(tbl);" }
      in_function { print }
      /^}/ { in_function = 0 }
    ' "$work/tree/lib/lpm/rte_lpm6.c"
  } > "$header"
  [ "$(grep -c '^static inline int\|^	EXPENSIVE(tbl);' "$header")" = 3 ] || { rm "$header"; fail "rte_lpm6.c is not as expected"; }
fi
say "ready: $header"

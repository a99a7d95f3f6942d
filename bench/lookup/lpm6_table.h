// Tables of IPv6 prefixes, whose hops are their numbers: DPDK's, and the trie of examples/forward. Both are copied from where they were
// built to pages of the wanted size. Workloads hold them by value: behind one more pointer, Heddle's pointer analysis takes any table
// for any other.
#pragma once

#include "memory.h"
#include "prefixes6.h"

#include "forward/lpm6.h"

struct rte_lpm6;

namespace lookup {

// Null, with the reason printed. The caller frees it.
rte_lpm6* build_lpm6(const std::vector<Prefix6>& prefixes);
lpm6* build_trie6(const std::vector<Prefix6>& prefixes, bool compressed);

class Lpm6Table {
public:
  Lpm6Table(const rte_lpm6& built, bool huge);
  const rte_lpm6* get() const { return pages_.as<rte_lpm6>(); }
  size_t bytes() const { return pages_.size(); }

private:
  Pages pages_;
};

class Trie6Table {
public:
  Trie6Table(const lpm6& built, bool huge);
  const lpm6* get() const { return &copy_; }
  size_t bytes() const { return pages_.size(); }

private:
  Pages pages_;
  lpm6 copy_;
};

} // namespace lookup

// What path compression of a trie brings (Kumar et al., APSys 2017, section 3.6): 20,000 IPv6 prefixes of 48 bits, of which more or fewer
// nodes are their parent's only child, and real prefixes; DPDK's table, which is the baseline, beside the trie of examples/forward
// without compression and with it, each as it is and by Heddle.
#define EXPENSIVE(pointer) ((void)0)
#include "lpm6.h"
#include "lpm6_table.h"
#include "trie6.h"
#include "workload.h"

using namespace lookup;

namespace {

class CompressionWorkload final : public Workload {
public:
  CompressionWorkload(const Setup& setup, const std::vector<Prefix6>& prefixes, const rte_lpm6& dpdk,
                      const lpm6& trie, const lpm6& compressed)
      : dpdk_(dpdk, setup.huge), trie_(trie, setup.huge), compressed_(compressed, setup.huge),
        keys_(addresses_in(prefixes, setup)) {
    key_bytes = sizeof(Lpm6Address);
    result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = dpdk_.bytes();
    variants = {{"baseline", Erased<lpm6_baseline>::run},
                {"heddle", Erased<lpm6_heddle>::run},
                {"trie", Erased<trie6_baseline>::run, trie_.get()},
                {"trie by heddle", Erased<trie6_heddle>::run, trie_.get()},
                {"compressed", Erased<trie6_baseline>::run, compressed_.get()},
                {"compressed by heddle", Erased<trie6_heddle>::run, compressed_.get()}};
    notes = {{"steps", steps(*trie_.get())}, {"compressed_steps", steps(*compressed_.get())}};
  }
  const void* table() const override { return dpdk_.get(); }
  const void* keys() const override { return keys_.data(); }

private:
  // Per look-up.
  double steps(const lpm6& table) const {
    uint64_t count = 0;
    for (const Lpm6Address& key : keys_) {
      uint32_t entry = *lpm6_first(&table, key.bytes);
      unsigned at = LPM6_FIRST_BYTES;
      for (++count; entry >= LPM6_IS_NODE; ++count)
        entry = lpm6_next(lpm6_place(&table, entry, key.bytes, &at), entry, key.bytes, &at);
    }
    return double(count) / double(keys_.size());
  }

  Lpm6Table dpdk_;
  Trie6Table trie_, compressed_;
  std::vector<Lpm6Address> keys_;
};

std::unique_ptr<Workload> make(const Setup& setup, const std::vector<Prefix6>& prefixes) {
  rte_lpm6* dpdk = build_lpm6(prefixes);
  lpm6 *trie = build_trie6(prefixes, false), *compressed = build_trie6(prefixes, true);
  std::unique_ptr<Workload> workload;
  if (dpdk && trie && compressed)
    workload = std::make_unique<CompressionWorkload>(setup, prefixes, *dpdk, *trie, *compressed);
  rte_lpm6_free(dpdk);
  lpm6_free(trie);
  lpm6_free(compressed);
  return workload;
}

std::unique_ptr<Workload> make(const Setup& setup, double only_children) {
  return make(setup, compressible_prefixes(setup.small ? 2000 : 20000, only_children));
}

} // namespace

// The paper's best, average and worst case.
std::unique_ptr<Workload> lookup::make_compression_best(const Setup& setup) {
  return make(setup, 3);
}
std::unique_ptr<Workload> lookup::make_compression_some(const Setup& setup) {
  return make(setup, 1.25);
}
std::unique_ptr<Workload> lookup::make_compression_none(const Setup& setup) {
  return make(setup, 0.0);
}
std::unique_ptr<Workload> lookup::make_compression_real(const Setup& setup) {
  return make(setup, real_prefixes(setup));
}

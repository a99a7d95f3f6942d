// What is linked into versions, and inlined: sampling, and lookups in indexes. The maps are Heddle's own.
#include "linked_layout.h"

#include "specialize/index_find.h"

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

// Whether this packet is sampled. `gaps`: a heddle_gap per processor; `mean`: one 64-bit number, packets between two samples.
//
// Each processor counts packets down to its next sample; how many there are between two is drawn at random, so that traffic with
// a period is not met at the same point each time. The draw is made for sampled packets only: docs/specialize.md has what
// this costs, and what a draw for each packet would.
int heddle_sample(void* gaps, void* mean) {
  __u32 zero = 0;
  struct heddle_gap* gap = bpf_map_lookup_elem(gaps, &zero);
  if (!gap) return 0;
  if (gap->left != 0) {
    --gap->left;
    return 0;
  }
  __u64* between = bpf_map_lookup_elem(mean, &zero);
  if (!between) return 0;
  gap->left = bpf_get_prandom_u32() % (2 * *between - 1);
  ++gap->taken;
  return 1;
}

// Counts the key in a site's sketch: a count per key and processor.
void heddle_record(void* sketch, const void* key) {
  __u64 one = 1;
  __u64* count = bpf_map_lookup_elem(sketch, key);
  if (count)
    ++*count;
  else
    bpf_map_update_elem(sketch, key, &one, BPF_NOEXIST);
}

// Counts one in the only value of a map of processors.
void heddle_count(void* counter) {
  __u32 zero = 0;
  __u64* count = bpf_map_lookup_elem(counter, &zero);
  if (count) ++*count;
}

// As in specialize/index_find.h.
void* heddle_find_number(const __u32* nodes, __u32 node_count, __u8* values, __u32 value_count,
                         __u32 value_bytes, const __u8* key, __u32 bytes, __u32 swapped, __u32 least) {
  const struct heddle_index index = {nodes, node_count, values, value_count, value_bytes};
  return heddle_index_number(&index, key, bytes, swapped, least);
}

void* heddle_find_hashed(const __u32* nodes, __u32 node_count, __u8* values, __u32 value_count,
                         __u32 value_bytes, const __u8* key, __u32 bytes, __u64 seed, __u32 node_bits,
                         __u32 slot_bits) {
  const struct heddle_index index = {nodes, node_count, values, value_count, value_bytes};
  return heddle_index_hashed(&index, key, bytes, seed, node_bits, slot_bits);
}

void* heddle_find_prefix(const __u32* nodes, __u32 node_count, __u8* values, __u32 value_count,
                         __u32 value_bytes, const __u8* key, __u32 levels) {
  const struct heddle_index index = {nodes, node_count, values, value_count, value_bytes};
  return heddle_index_prefix(&index, key, levels);
}

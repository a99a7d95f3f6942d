// The tables of bench/lookup as a GPU sees them: the same objects over copies of their arrays, and the same look-ups. DPDK's own
// look-ups are for processors, so those of its tables are said again here.
#pragma once

#include "../lookup/chase_look_up.h"
#include "../lookup/cuckoo_look_up.h"
#include "../lookup/l2_look_up.h"
#include "../lookup/ndn_look_up.h"
#include "../lookup/prefixes6.h"

// rte_lpm: an entry is a hop of 24 bits, or the number of a group of 256 entries.
struct Lpm4View {
  const uint32_t *tbl24, *tbl8;
};

ANYWHERE static inline uint32_t look_up(const Lpm4View* table, uint32_t address) {
  constexpr uint32_t is_group = 0x03000000, is_hop = 0x01000000, number = 0x00ffffff;
  uint32_t entry = table->tbl24[address >> 8];
  if ((entry & is_group) == is_group) entry = table->tbl8[(entry & number) * 256 + (address & 0xff)];
  return entry & is_hop ? entry & number : UINT32_MAX;
}

// rte_lpm6: as that, with 21 bits, and groups all the way.
struct Lpm6View {
  const uint32_t *tbl24, *tbl8;
};

ANYWHERE static inline uint32_t look_up(const Lpm6View* table, const Lpm6Address& address) {
  constexpr uint32_t is_group = 0xa0000000, is_hop = 0x20000000, number = 0x001fffff;
  const uint8_t* bytes = address.bytes;
  uint32_t entry = table->tbl24[bytes[0] << 16 | bytes[1] << 8 | bytes[2]];
  for (int at = 3; (entry & is_group) == is_group; ++at)
    entry = table->tbl8[(entry & number) * 256 + bytes[at]];
  return entry & is_hop ? entry & number : UINT32_MAX;
}

// The table over other copies of its arrays.
template <class Array> const Array* array_of(const void* copy) {
  return static_cast<const Array*>(copy);
}
inline Chase view_of(const Chase& table, const void* const* copies) {
  return {array_of<uint32_t>(copies[0]), table.hops};
}
inline Cuckoo view_of(const Cuckoo& table, const void* const* copies) {
  return {array_of<CuckooBucket>(copies[0]), table.mask};
}
inline L2 view_of(const L2& table, const void* const* copies) {
  return {array_of<L2Bucket>(copies[0]), table.mask};
}
inline Ndn view_of(const Ndn& table, const void* const* copies) {
  return {array_of<NdnBucket>(copies[0]), array_of<NdnEntry>(copies[1]), table.mask};
}
inline Lpm4View view_of(const Lpm4View&, const void* const* copies) {
  return {array_of<uint32_t>(copies[0]), array_of<uint32_t>(copies[1])};
}
inline Lpm6View view_of(const Lpm6View&, const void* const* copies) {
  return {array_of<uint32_t>(copies[0]), array_of<uint32_t>(copies[1])};
}

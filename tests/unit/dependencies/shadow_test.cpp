// The shadow against a list of all accesses: both must agree on whether an access has an earlier packet's of a higher
// stage before it that it conflicts with.
#include "verify/dependencies/runtime/shadow.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

using namespace heddle::dependencies;

namespace {

struct Access {
  uint64_t begin, end;
  Kind kind;
  uint32_t packet, stage;
};

// The pairs of (kind, kind) that are reversed, as bits: which relaxation applies is decided by the kinds.
using Kinds = std::vector<std::array<uint32_t, 4>>;

void add(Kinds& kinds, Kind first, Kind second) {
  if (!first.writes() && !second.writes()) return;
  const std::array<uint32_t, 4> pair{first.bits, first.regions, second.bits, second.regions};
  if (std::find(kinds.begin(), kinds.end(), pair) == kinds.end()) kinds.push_back(pair);
}

Kinds by_list(const std::vector<Access>& before, const Access& access) {
  Kinds kinds;
  for (const Access& old : before)
    if (old.packet < access.packet && old.stage > access.stage && old.begin < access.end &&
        access.begin < old.end)
      add(kinds, old.kind, access.kind);
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

Kinds by_shadow(const Shadow& shadow, const Access& access) {
  Kinds kinds;
  shadow.each(access.begin, access.end, [&](uint64_t granule, uint8_t bytes) {
    for (uint32_t i = shadow.find(granule); i != 0; i = shadow.record(i).next) {
      const Record& record = shadow.record(i);
      if ((record.bytes & bytes) && record.packet != access.packet && record.stage > access.stage)
        add(kinds, record.kind, access.kind);
    }
  });
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

void note(Shadow& shadow, const Access& access) {
  for (uint64_t granule = access.begin / 8; granule * 8 < access.end; ++granule)
    ASSERT_TRUE(shadow.note(granule, {access.kind, access.stage, 1, access.packet, 0,
                                      Shadow::bytes_of(granule, access.begin, access.end)}));
}

TEST(Shadow, AgreesWithAListOfAllAccesses) {
  std::mt19937 random(7);
  auto below = [&](unsigned n) { return unsigned(random() % n); };
  unsigned reversed = 0;
  Shadow shadow;
  for (unsigned round = 0; round < 200; ++round) {
    shadow.empty();
    std::vector<Access> all;
    for (uint32_t packet = 1; packet <= 12; ++packet)
      for (uint32_t stage = below(3); stage < 6; stage += 1 + below(3))
        for (unsigned k = below(6); k > 0; --k) {
          uint64_t begin = 4096 + below(64), end = begin + 1 + below(20);
          Kind kinds[] = {{0}, {1}, {2}, {3}, {1, 1}};
          Access access{begin, end, kinds[below(5)], packet, stage};
          Kinds expected = by_list(all, access);
          EXPECT_EQ(expected, by_shadow(shadow, access));
          reversed += !expected.empty();
          if (stage == 0) continue;
          all.push_back(access);
          note(shadow, access);
        }
  }
  EXPECT_GT(reversed, 1000u);
}

TEST(Shadow, MemoryThatIsNewHasNoPast) {
  Shadow shadow;
  note(shadow, {100, 140, {1}, 1, 3});
  shadow.forget(108, 116);
  EXPECT_TRUE(by_shadow(shadow, {108, 116, {1}, 2, 0}).empty());
  EXPECT_FALSE(by_shadow(shadow, {107, 108, {1}, 2, 0}).empty());
  EXPECT_FALSE(by_shadow(shadow, {116, 117, {1}, 2, 0}).empty());
  shadow.empty();
  EXPECT_TRUE(by_shadow(shadow, {100, 140, {1}, 2, 0}).empty());
}

TEST(Shadow, GrowsWithWhatABatchTouches) {
  Shadow shadow;
  for (uint64_t i = 0; i < 100000; ++i)
    note(shadow, {i * 64, i * 64 + 4, {1}, 1, 2});
  for (uint64_t i = 0; i < 100000; ++i) {
    ASSERT_FALSE(by_shadow(shadow, {i * 64 + 3, i * 64 + 8, {0}, 2, 1}).empty());
    ASSERT_TRUE(by_shadow(shadow, {i * 64 + 4, i * 64 + 8, {1}, 2, 1}).empty());
  }
}

} // namespace

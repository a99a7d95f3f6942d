#include "profile/icache.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// `blocks` blocks of one line each, at consecutive lines.
FootprintMap lines_of_code(unsigned blocks, uint64_t stride = 64) {
  FootprintMap map(blocks);
  for (unsigned i = 0; i < blocks; ++i)
    map[i].ranges = {{0x10000 + i * stride, 64, 16}};
  return map;
}

Trace one_packet(std::vector<BlockId> events) {
  Trace trace;
  trace.packets = {{0, 0, 0, events.size()}};
  trace.events = std::move(events);
  return trace;
}

TEST(IcacheOriginal, MissesOnceWhatFits) {
  CacheResult r = simulate_original(one_packet({0, 1, 0, 1, 0}), lines_of_code(2), {1024, 2, 64});
  EXPECT_EQ(r.misses, 2u);
  EXPECT_EQ(r.line_accesses, 5u);
  EXPECT_EQ(r.instructions, 5u * 16);
}

TEST(IcacheOriginal, RepeatedAccessOfALineCountsOnce) {
  FootprintMap map(2);
  map[0].ranges = {{0x1000, 16, 4}};
  map[1].ranges = {{0x1010, 16, 4}};
  CacheResult r = simulate_original(one_packet({0, 1, 0, 1}), map, {1024, 2, 64});
  EXPECT_EQ(r.line_accesses, 1u);
  EXPECT_EQ(r.misses, 1u);
}

// Two ways hold two of three lines of a set: going round, true LRU misses every time.
TEST(IcacheOriginal, EvictsTheLeastRecentlyUsed) {
  FootprintMap map = lines_of_code(3, /*stride=*/512); // 8 sets of 64 bytes: all in set 0
  CacheGeometry cache{1024, 2, 64};
  EXPECT_EQ(simulate_original(one_packet({0, 1, 2, 0, 1, 2}), map, cache).misses, 6u);
  // 0 is used again before 2 comes, so 1 goes.
  EXPECT_EQ(simulate_original(one_packet({0, 1, 0, 2, 0, 1}), map, cache).misses, 4u);
}

TEST(IcacheOriginal, LinesOfOtherSetsDoNotConflict) {
  EXPECT_EQ(simulate_original(one_packet({0, 1, 2, 0, 1, 2}), lines_of_code(3), {1024, 2, 64}).misses, 3u);
}

TEST(IcacheOriginal, ABlockAcrossLinesTouchesEach) {
  FootprintMap map(1);
  map[0].ranges = {{0x1030, 100, 20}, {0x2000, 10, 3}};
  CacheResult r = simulate_original(one_packet({0}), map, {1024, 2, 64});
  EXPECT_EQ(r.misses, 4u); // 0x1000, 0x1040, 0x1080, 0x2000
  EXPECT_EQ(r.instructions, 23u);
}

} // namespace
} // namespace heddle

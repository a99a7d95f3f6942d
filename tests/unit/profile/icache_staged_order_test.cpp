#include "profile/icache.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// Two halves of 8 lines; a cache of 8 lines holds one of them. Each packet runs both.
struct IcacheStaged : testing::Test {
  FootprintMap map{16};
  Trace trace;
  CacheGeometry cache{512, 8, 64};

  void SetUp() override {
    for (unsigned i = 0; i < 16; ++i)
      map[i].ranges = {{0x10000 + i * 64, 64, 16}};
  }
  void packets(unsigned count, uint32_t batch) {
    for (unsigned p = 0; p < count; ++p) {
      uint64_t begin = trace.events.size();
      for (BlockId b = 0; b < 16; ++b)
        trace.events.push_back(b);
      trace.packets.push_back({0, batch, begin, trace.events.size()});
    }
  }
  uint64_t misses(unsigned batch) {
    return simulate_staged(trace, map, cache, batch,
                           [](const TracedPacket&, auto& stages) { stages.emplace_back(1, 8); })
        .misses;
  }
};

TEST_F(IcacheStaged, OneHalfPerStageMissesOncePerBatch) {
  packets(32, 0);
  EXPECT_EQ(simulate_original(trace, map, cache).misses, 32u * 16);
  EXPECT_EQ(misses(32), 16u);
  EXPECT_EQ(misses(8), 4u * 16);
}

TEST_F(IcacheStaged, BatchOfOneIsTheOriginalOrder) {
  packets(32, 0);
  EXPECT_EQ(misses(1), 32u * 16);
  EXPECT_EQ(misses(0), 32u * 16);
}

TEST_F(IcacheStaged, DoesNotMixPacketsOfTwoReceiveCalls) {
  packets(2, 0);
  packets(2, 1);
  EXPECT_EQ(misses(32), 2u * 16);
}

TEST_F(IcacheStaged, PacketWithoutCutsRunsInTheFirstStage) {
  packets(2, 0);
  auto r = simulate_staged(trace, map, cache, 32, [](const TracedPacket&, auto&) {});
  EXPECT_EQ(r.misses, 2u * 16);
  EXPECT_EQ(r.instructions, 2u * 16 * 16);
}

TEST_F(IcacheStaged, SkippedStageIsAbsent) {
  packets(2, 0);
  unsigned packet = 0;
  // Packet 0 goes from stage 0 to 2, packet 1 through 1: in order 0a 1a | 1b | 0b.
  auto r = simulate_staged(trace, map, cache, 32, [&](const TracedPacket&, auto& stages) {
    stages.emplace_back(packet++ == 0 ? 2 : 1, 8);
  });
  EXPECT_EQ(r.misses, 16u);
}

} // namespace
} // namespace heddle

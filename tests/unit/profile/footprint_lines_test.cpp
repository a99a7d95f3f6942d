#include "profile/footprint.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(FootprintLines, CountsDistinctLines) {
  BlockFootprint block;
  EXPECT_EQ(block.lines(), 0u);
  block.ranges = {{0x1000, 4, 1}, {0x1010, 0x40, 9}, {0x1058, 4, 1}, {0x2000, 1, 1}};
  EXPECT_EQ(block.lines(), 3u); // 0x1000, 0x1040 (shared by two ranges), 0x2000
  EXPECT_EQ(block.lines(32), 4u);
  EXPECT_EQ(block.bytes(), 4u + 0x40 + 4 + 1);
  EXPECT_EQ(block.instructions(), 12u);
}

} // namespace
} // namespace heddle

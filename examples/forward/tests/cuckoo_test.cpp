// The cuckoo hash table, filled to nine tenths, against what was put in.
extern "C" {
#include "../cuckoo.h"
}
#include <gtest/gtest.h>

namespace {

constexpr unsigned value_bits = 16;

uint64_t key(uint64_t index) {
  return number(1, index) >> value_bits | 1;
}

class Cuckoo : public ::testing::Test {
protected:
  void create(uint64_t keys) { ASSERT_TRUE(cuckoo_create(&table, keys, value_bits)); }
  ~Cuckoo() override { cuckoo_free(&table); }
  struct cuckoo table = {};
};

TEST_F(Cuckoo, FindsAllOfATableThatIsNineTenthsFull) {
  const uint64_t count = 8 * 4096 * 9 / 10;
  create(count);
  ASSERT_EQ(table.mask, 4095u);
  for (uint64_t i = 0; i < count; ++i)
    ASSERT_TRUE(cuckoo_insert(&table, key(i), i % 65536)) << i;
  for (uint64_t i = 0; i < count; ++i)
    ASSERT_EQ(cuckoo_look_up(&table, key(i)), i % 65536);
  for (uint64_t i = count; i < 2 * count; ++i)
    ASSERT_EQ(cuckoo_look_up(&table, key(i)), cuckoo_none);
}

TEST_F(Cuckoo, ASecondValueTakesTheFirstOnesPlace) {
  create(8);
  ASSERT_TRUE(cuckoo_insert(&table, 7, 1));
  ASSERT_TRUE(cuckoo_insert(&table, 7, 2));
  EXPECT_EQ(cuckoo_look_up(&table, 7), 2u);
  unsigned used = 0;
  for (uint64_t bucket = 0; bucket <= table.mask; ++bucket)
    for (uint64_t slot : table.buckets[bucket].slots)
      used += slot != 0;
  EXPECT_EQ(used, 1u);
}

TEST_F(Cuckoo, RefusesWhatHasNoRoomAndKeepsTheRest) {
  create(8);
  uint64_t count = 0;
  while (cuckoo_insert(&table, key(count), count))
    ++count;
  EXPECT_GE(count, 8 * (table.mask + 1) * 9 / 10);
  for (uint64_t i = 0; i < count; ++i)
    EXPECT_EQ(cuckoo_look_up(&table, key(i)), i);
}

} // namespace

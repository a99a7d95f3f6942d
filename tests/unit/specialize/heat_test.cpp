// What becomes of a site, by what is sampled there.
#include "specialize/heat.h"

#include "gtest/gtest.h"

using namespace heddle;

namespace {

llvm::StringMap<uint64_t> samples(std::initializer_list<std::pair<const char*, uint64_t>> counts) {
  llvm::StringMap<uint64_t> map;
  for (auto [key, count] : counts)
    map[key] = count;
  return map;
}

llvm::StringMap<uint64_t> even(unsigned keys) {
  llvm::StringMap<uint64_t> map;
  for (unsigned key = 0; key != keys; ++key)
    map[std::to_string(key)] = 1;
  return map;
}

std::vector<std::string> keys_of(const SiteHeat& heat) {
  std::vector<std::string> keys;
  for (const HotKey& key : heat.keys())
    keys.push_back(key.key);
  return keys;
}

using Keys = std::vector<std::string>;

} // namespace

TEST(Heat, FewSamplesSayNothingYet) {
  SiteHeat heat(0.4);
  heat.look(samples({{"a", 100}}));
  EXPECT_EQ(heat.verdict(), HeatVerdict::Unknown);
  EXPECT_TRUE(heat.keys().empty());
  heat.look(samples({{"a", 100}}));
  heat.look(samples({{"a", 100}})); // with those before they are enough
  EXPECT_EQ(keys_of(heat), Keys{"a"});
}

TEST(Heat, TheHottestFirst) {
  SiteHeat heat(0.4);
  heat.look(samples({{"c", 50}, {"a", 400}, {"b", 300}, {"rare", 1}, {"d", 50}}));
  EXPECT_EQ(keys_of(heat), (Keys{"a", "b", "c", "d"}));
  EXPECT_EQ(heat.others(), 1U);
  EXPECT_EQ(heat.changes(), 1U);
  heat.look(samples({{"c", 50}, {"a", 300}, {"b", 400}, {"d", 50}})); // the same keys: nothing to be done
  EXPECT_EQ(heat.changes(), 1U);
}

TEST(Heat, FollowsTheTraffic) {
  SiteHeat heat(0.4);
  heat.look(samples({{"a", 1000}}));
  heat.look(samples({{"b", 1000}}));
  EXPECT_EQ(keys_of(heat), (Keys{"b", "a"}));
  for (int i = 0; i != 10; ++i)
    heat.look(samples({{"b", 1000}}));
  EXPECT_EQ(heat.verdict(), HeatVerdict::Hot);
  EXPECT_EQ(heat.changes(), 2U);
}

TEST(Heat, EvenTrafficIsSampledLessAndLess) {
  SiteHeat heat(0.4);
  int rests = 0, sampled = 0;
  for (int i = 0; i != 400; ++i) {
    bool before = heat.sampling();
    sampled += before;
    heat.look(before ? even(500) : llvm::StringMap<uint64_t>());
    rests += before && !heat.sampling();
    EXPECT_TRUE(heat.keys().empty());
  }
  EXPECT_EQ(heat.verdict(), HeatVerdict::Even);
  EXPECT_EQ(rests, 5); // after 8 times each, for 16, 32, 64 and 128 looks
  EXPECT_EQ(sampled, 5 * 8);
}

TEST(Heat, KeysThatChangeAllTheTimeAreLeftAlone) {
  SiteHeat heat(0.4);
  for (int i = 0; i != 20 && heat.sampling(); ++i)
    heat.look(samples({{std::to_string(i).c_str(), 5000U << i}}));
  EXPECT_EQ(heat.verdict(), HeatVerdict::Churn);
  EXPECT_TRUE(heat.keys().empty());
  uint64_t changes = heat.changes();
  while (!heat.sampling())
    heat.look({});
  EXPECT_EQ(heat.changes(), changes + 1); // sampled again
}

TEST(Heat, WhatCoolsDownIsGivenUp) {
  SiteHeat heat(0.4);
  heat.look(samples({{"a", 300}}));
  EXPECT_EQ(keys_of(heat), Keys{"a"});
  for (int i = 0; i != 3; ++i)
    heat.look(even(500));
  EXPECT_TRUE(heat.keys().empty());
  EXPECT_EQ(heat.verdict(), HeatVerdict::Even);
}

TEST(Heat, ASiteThatFewPacketsComeTo) {
  SiteReach seldom, often;
  EXPECT_FALSE(seldom.is_seldom());
  for (int i = 0; i != 4; ++i) {
    EXPECT_TRUE(seldom.counting());
    seldom.look(500, 5);
    often.look(500, 20);
  }
  EXPECT_TRUE(seldom.is_seldom());
  EXPECT_FALSE(often.is_seldom());
  EXPECT_FALSE(seldom.counting());
  EXPECT_EQ(seldom.changes(), 1U);
  for (int i = 0; !seldom.counting(); ++i) {
    ASSERT_LT(i, 1000);
    seldom.look(0, 0);
  }
  EXPECT_TRUE(seldom.is_seldom()); // until it is known better
  seldom.look(5000, 5000);
  EXPECT_FALSE(seldom.is_seldom());
}

// What ways cost: what nobody foresees costs more than what does not vary.
#include "specialize/cost.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace heddle;

namespace {

const HostCosts costs;

std::string bytes_of(uint32_t number, size_t size = 4) {
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), &number, std::min<size_t>(size, 4));
  return bytes;
}

Table numbers(size_t count, TableKind kind = TableKind::Exact) {
  Table table{"t", kind, 4, 4, 64, {}};
  for (uint32_t number = 0; number != count; ++number)
    table.entries.push_back({bytes_of(number), bytes_of(number)});
  return table;
}

std::string prefix(uint32_t bits, uint32_t first_byte) {
  return bytes_of(bits) + bytes_of(first_byte);
}

} // namespace

TEST(Cost, OutcomesAreOfEntriesAndOfNone) {
  Outcomes outcomes =
      outcomes_of(numbers(2), {{bytes_of(0), 10}, {bytes_of(1), 20}, {bytes_of(7), 7}, {bytes_of(9), 3}});
  EXPECT_DOUBLE_EQ(outcomes.of_entry[0], 0.25);
  EXPECT_DOUBLE_EQ(outcomes.of_entry[1], 0.5);
  EXPECT_DOUBLE_EQ(outcomes.none, 0.25);
  EXPECT_DOUBLE_EQ(outcomes.bits(), 1.5);
  EXPECT_FALSE(outcomes_of(numbers(2), {}).known());
}

TEST(Cost, OutcomesOfPrefixesAreTheLongest) {
  Table table{"t", TableKind::Lpm, 8, 4, 8, {}};
  table.entries = {{prefix(0, 0), "none"}, {prefix(8, 10), "ten."}};
  Outcomes outcomes = outcomes_of(table, {{prefix(32, 10), 3}, {prefix(32, 11), 1}, {prefix(4, 10), 1}});
  EXPECT_DOUBLE_EQ(outcomes.of_entry[0], 0.4);
  EXPECT_DOUBLE_EQ(outcomes.of_entry[1], 0.6);
}

TEST(Cost, ComparesThatAreNotForeseenCostMore) {
  Table table = numbers(16);
  llvm::StringMap<uint64_t> even, one{{bytes_of(3), 1000}};
  for (const TableEntry& entry : table.entries)
    even[entry.key] = 10;
  double foreseen = compares_cost(costs, table, outcomes_of(table, one));
  double surprising = compares_cost(costs, table, outcomes_of(table, even));
  EXPECT_NEAR(surprising - foreseen, 2 * costs.surprise, 1e-9);
  EXPECT_DOUBLE_EQ(compares_cost(costs, table, {}), foreseen);
  Table array = numbers(16, TableKind::Array);
  EXPECT_TRUE(pays(foreseen, lookup_cost(costs, array)));
  EXPECT_FALSE(pays(surprising, lookup_cost(costs, array)));
}

TEST(Cost, AnIndexCostsTheSameForAllTraffic) {
  Table table = numbers(10);
  llvm::StringMap<uint64_t> even;
  for (const TableEntry& entry : table.entries)
    even[entry.key] = 10;
  Index index;
  NoIndex why{};
  ASSERT_TRUE(make_index(table, index, why));
  double indexed = index_cost(costs, index, 4);
  EXPECT_LT(indexed, compares_cost(costs, table, outcomes_of(table, even)));
  EXPECT_GT(indexed, compares_cost(costs, table, outcomes_of(table, {{bytes_of(3), 1000}})));
  EXPECT_TRUE(pays(indexed, lookup_cost(costs, table)));
}

TEST(Cost, LargerTablesAndWiderKeysCostMore) {
  Table wide{"t", TableKind::Exact, 40, 4, 64, {}};
  EXPECT_LT(lookup_cost(costs, numbers(16)), lookup_cost(costs, wide));
  EXPECT_LT(lookup_cost(costs, numbers(16)), lookup_cost(costs, numbers(1000)));
  EXPECT_DOUBLE_EQ(lookup_cost(costs, numbers(1000, TableKind::Array)), costs.array);
}

TEST(Cost, HotKeysPayFromAShareOn) {
  Table table = numbers(1000);
  double share = hot_keys_pay_at(costs, table);
  EXPECT_GT(share, 0.2);
  EXPECT_LE(share, 0.5);
  HotLookups hot{{{bytes_of(1), bytes_of(1), 1000}}, 0};
  EXPECT_TRUE(pays(hot_keys_cost(costs, table, hot), lookup_cost(costs, table)));
  hot.others = 100000;
  EXPECT_FALSE(pays(hot_keys_cost(costs, table, hot), lookup_cost(costs, table)));
}

TEST(Cost, AChainOfPrefixesIsPricedLinkByLink) {
  Table table{"t", TableKind::Lpm, 8, 4, 8, {}};
  for (uint32_t number = 0; number != 8; ++number)
    table.entries.push_back({prefix(8, 10 + number), "abcd"});
  llvm::StringMap<uint64_t> first{{prefix(32, 10), 100}}, last{{prefix(32, 17), 100}}, even;
  for (const TableEntry& entry : table.entries)
    even[entry.key] = 10;
  double early = compares_cost(costs, table, outcomes_of(table, first));
  double late = compares_cost(costs, table, outcomes_of(table, last));
  EXPECT_LT(early, late);
  EXPECT_LT(late, compares_cost(costs, table, outcomes_of(table, even)));
}

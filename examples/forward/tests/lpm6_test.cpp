// The trie against a search through all routes, over nested prefixes and addresses near their edges, in both forms.
#include "../lpm6.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace {

using Table = std::unique_ptr<lpm6, decltype(&lpm6_free)>;
using Routes = std::vector<lpm6_route>;

Table table_of(const Routes& routes, bool compressed) {
  return {lpm6_create(routes.data(), uint32_t(routes.size()), compressed), lpm6_free};
}

lpm6_route route(const char* prefix, uint8_t length, uint32_t hop) {
  lpm6_route result = {};
  EXPECT_EQ(inet_pton(AF_INET6, prefix, result.prefix), 1);
  result.length = length;
  result.hop = hop;
  return result;
}

uint32_t look_up(const Table& table, const char* address) {
  return lpm6_look_up(table.get(), route(address, 0, 0).prefix);
}

bool contains(const lpm6_route& route, const uint8_t* address) {
  const unsigned bytes = route.length / 8, rest = route.length % 8;
  return std::memcmp(route.prefix, address, bytes) == 0 &&
         (rest == 0 || (route.prefix[bytes] ^ address[bytes]) >> (8 - rest) == 0);
}

uint32_t search(const Routes& routes, const uint8_t* address) {
  uint32_t hop = LPM6_NO_ROUTE;
  int length = -1;
  for (const lpm6_route& each : routes)
    if (each.length >= length && contains(each, address)) {
      hop = each.hop;
      length = each.length;
    }
  return hop;
}

class Random {
public:
  explicit Random(unsigned seed) : numbers_(seed) {}
  uint32_t below(uint32_t bound) { return uint32_t(numbers_() % bound); }

  // New, or one of those before with its end changed from some bit on: so prefixes nest at all lengths.
  lpm6_route next(const Routes& before) {
    lpm6_route result = {};
    unsigned from = 0;
    if (!before.empty() && below(8) != 0) {
      const lpm6_route& near = before[below(uint32_t(before.size()))];
      std::memcpy(result.prefix, near.prefix, sizeof near.prefix);
      from = below(129);
    }
    for (unsigned bit = from; bit < 128; ++bit)
      set(result.prefix, bit, below(4) == 0);
    result.length = uint8_t(below(3) == 0 ? 8 * below(17) : below(129));
    result.hop = below(5); // few, so neighbours can have the same
    return result;
  }

  static void set(uint8_t* address, unsigned bit, bool value) {
    const uint8_t one = uint8_t(0x80 >> bit % 8);
    address[bit / 8] = uint8_t(value ? address[bit / 8] | one : address[bit / 8] & ~one);
  }

private:
  std::mt19937 numbers_;
};

void compare(const Routes& routes, const Table& table, Random& random) {
  for (const lpm6_route& each : routes)
    for (int attempt = 0; attempt < 8; ++attempt) {
      uint8_t address[16];
      std::memcpy(address, each.prefix, sizeof address);
      for (unsigned bit = each.length; bit < 128 && attempt % 2; ++bit)
        Random::set(address, bit, random.below(2));
      if (attempt >= 4) address[random.below(16)] ^= uint8_t(1 << random.below(8));
      ASSERT_EQ(lpm6_look_up(table.get(), address), search(routes, address));
    }
}

class Lpm6 : public testing::TestWithParam<bool> {};

TEST_P(Lpm6, finds_what_a_search_finds) {
  // Each table has a gigabyte of address space and touches little of it.
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Routes routes;
    for (uint32_t left = random.below(60); left > 0; --left) {
      routes.push_back(random.next(routes));
      // Short ones fill much of the first level, which takes its time.
      if (seed % 20) routes.back().length = std::max<uint8_t>(routes.back().length, 16);
    }
    const Table table = table_of(routes, GetParam());
    ASSERT_TRUE(table);
    compare(routes, table, random);
  }
}

// Nodes of many entries, behind paths that prefixes leave.
TEST_P(Lpm6, finds_among_many_siblings) {
  Random random(1);
  Routes routes = {route("2001:db8::", 30, 1), route("2001:db8:1200::", 40, 2)};
  for (uint32_t i = 0; i < 60; ++i) {
    routes.push_back(route("2001:db8:1234:5600::", uint8_t(57 + random.below(8)), 10 + i));
    routes.back().prefix[7] = uint8_t(random.below(256));
    routes.push_back(route("2002::", 128, 100 + i));
    routes.back().prefix[15] = uint8_t(i);
  }
  compare(routes, table_of(routes, GetParam()), random);
}

TEST_P(Lpm6, without_routes_finds_none) {
  EXPECT_EQ(look_up(table_of({}, GetParam()), "2001:db8::1"), LPM6_NO_ROUTE);
}

TEST_P(Lpm6, length_0_is_for_all_others_and_128_for_one) {
  const Table table = table_of({route("2001:db8::5", 128, 7), route("::", 0, 9)}, GetParam());
  EXPECT_EQ(look_up(table, "2001:db8::5"), 7u);
  EXPECT_EQ(look_up(table, "2001:db8::4"), 9u);
  EXPECT_EQ(look_up(table, "ffff::"), 9u);
}

TEST_P(Lpm6, last_of_the_same_prefix_counts) {
  const Table table = table_of({route("2001:db8:1::", 48, 1), route("2001:db8:2::", 48, 5),
                                route("2001:db8:1::ffff", 48, 2), route("2001:db8:1::", 48, 3)},
                               GetParam());
  EXPECT_EQ(look_up(table, "2001:db8:1::9"), 3u);
}

TEST_P(Lpm6, inner_prefix_ends_where_others_part) {
  const Table table = table_of({route("2001:db8::", 32, 1), route("2001:db8:aa00::", 40, 2),
                                route("2001:db8:aabb:1::", 64, 3), route("2001:db8:aabb:2::", 64, 4)},
                               GetParam());
  EXPECT_EQ(look_up(table, "2001:db8:bb00::"), 1u);
  EXPECT_EQ(look_up(table, "2001:db8:aacc::"), 2u);
  EXPECT_EQ(look_up(table, "2001:db8:aabb:1::7"), 3u);
  EXPECT_EQ(look_up(table, "2001:db8:aabb:2::7"), 4u);
  EXPECT_EQ(look_up(table, "2001:db8:aabb:3::7"), 2u);
}

TEST_P(Lpm6, refuses_lengths_and_hops_out_of_range) {
  errno = 0;
  EXPECT_FALSE(table_of({route("::", 129, 1)}, GetParam()));
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
  EXPECT_FALSE(table_of({route("::", 64, LPM6_MAX_HOP + 1)}, GetParam()));
  EXPECT_EQ(errno, EINVAL);
}

INSTANTIATE_TEST_SUITE_P(Forms, Lpm6, testing::Bool(), [](const testing::TestParamInfo<bool>& form) {
  return form.param ? "compressed" : "plain";
});

// Cache lines that a look-up touches: what compression is for.
int lines(const Table& table, const char* text) {
  const lpm6_route address = route(text, 0, 0);
  uint32_t entry = *lpm6_first(table.get(), address.prefix);
  unsigned at = LPM6_FIRST_BYTES;
  int count = 1;
  for (; entry >= LPM6_IS_NODE; ++count)
    entry = lpm6_next(lpm6_place(table.get(), entry, address.prefix, &at), entry, address.prefix, &at);
  return count;
}

TEST(Lpm6Compression, a_prefix_alone_takes_two_lines) {
  const Routes routes = {route("2001:db8:1234::", 48, 1), route("2002:db8:1200::", 43, 2)};
  EXPECT_EQ(lines(table_of(routes, false), "2001:db8:1234::"), 4);
  EXPECT_EQ(lines(table_of(routes, true), "2001:db8:1234::"), 2);
  EXPECT_EQ(lines(table_of(routes, true), "2002:db8:1200::"), 2);
}

TEST(Lpm6Compression, few_prefixes_take_two_lines) {
  const Routes routes = {route("2001:db8:1234:5600::", 64, 1), route("2001:db8:1234:5700::", 64, 2)};
  EXPECT_EQ(lines(table_of(routes, false), "2001:db8:1234:5600::"), 6);
  EXPECT_EQ(lines(table_of(routes, true), "2001:db8:1234:5600::"), 2);
}

// Five prefixes are too many for leaves, and have nothing in common behind the path.
TEST(Lpm6Compression, a_path_leads_to_where_many_part) {
  Routes routes;
  for (uint32_t i = 0; i < 5; ++i) {
    routes.push_back(route("2001:db8:1234:5600::", 64, i));
    routes.back().prefix[6] = uint8_t(i);
  }
  EXPECT_EQ(lines(table_of(routes, false), "2001:db8:1234:300::"), 6);
  EXPECT_EQ(lines(table_of(routes, true), "2001:db8:1234:300::"), 3);
}

} // namespace

// Arrays in the place of a table: for every key the same answer as the table's.
#include "specialize/index.h"

#include "specialize/index_find.h"

#include "gtest/gtest.h"

#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <random>

using namespace heddle;

namespace {

using Found = std::optional<std::string>;

std::string bytes_of(uint32_t number, size_t size = 4) {
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), &number, std::min<size_t>(size, 4));
  return bytes;
}

Found find(const Index& index, const std::string& key, size_t value_bytes) {
  size_t stride = index.hashed ? index.values[0].size() + 7 & ~size_t(7) : value_bytes;
  std::string values;
  for (const std::string& value : index.values) {
    values += value;
    values.resize((values.size() + stride - 1) / stride * stride);
  }
  const heddle_index arrays{index.nodes.data(), uint32_t(index.nodes.size()),
                            reinterpret_cast<uint8_t*>(values.data()), uint32_t(index.values.size()),
                            uint32_t(stride)};
  const auto* at = reinterpret_cast<const uint8_t*>(key.data());
  const uint8_t* found = index.hashed ? heddle_index_hashed(&arrays, at, key.size(), index.seed,
                                                            std::countr_zero(index.nodes.size()),
                                                            std::countr_zero(index.values.size()))
                         : index.kind == TableKind::Lpm
                             ? heddle_index_prefix(&arrays, at, index.levels)
                             : heddle_index_number(&arrays, at, key.size(), index.swapped, index.least);
  if (!found) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(found), value_bytes);
}

bool has_prefix(const std::string& key, const std::string& prefix, uint32_t bits) {
  for (uint32_t i = 0; i != bits; ++i)
    if (((key[4 + i / 8] ^ prefix[4 + i / 8]) & (0x80 >> (i % 8))) != 0) return false;
  return true;
}

uint32_t bits_of(const std::string& key) {
  uint32_t bits = 0;
  std::memcpy(&bits, key.data(), 4);
  return bits;
}

Found longest_match(const Table& table, const std::string& key) {
  const TableEntry* best = nullptr;
  for (const TableEntry& entry : table.entries)
    if (has_prefix(key, entry.key, bits_of(entry.key)) && (!best || bits_of(best->key) < bits_of(entry.key)))
      best = &entry;
  return best ? Found(best->value) : std::nullopt;
}

} // namespace

TEST(Index, NumbersOfAllSizesInBothOrders) {
  for (uint32_t size : {1, 2, 4})
    for (bool swapped : {false, true}) {
      Table table{"t", TableKind::Exact, size, 3, 256, {}};
      std::map<uint32_t, std::string> expected;
      for (uint32_t number = 20; number < 120; number += 1 + number % 3) {
        uint32_t stored = !swapped    ? number
                          : size == 4 ? __builtin_bswap32(number)
                          : size == 2 ? __builtin_bswap16(number)
                                      : number;
        expected[stored] = bytes_of(number % 7, 3);
        table.entries.push_back({bytes_of(stored, size), expected[stored]});
      }
      Index index;
      NoIndex why{};
      ASSERT_TRUE(make_index(table, index, why)) << why.code;
      EXPECT_EQ(index.values.size(), 7U);
      for (uint32_t number = 0; number != 256; ++number)
        for (uint32_t stored : {number, __builtin_bswap32(number), uint32_t(__builtin_bswap16(number))}) {
          if (size < 4 && stored >> (8 * size) != 0) continue;
          auto entry = expected.find(stored);
          Found wanted = entry == expected.end() ? std::nullopt : Found(entry->second);
          EXPECT_EQ(find(index, bytes_of(stored, size), 3), wanted) << size << ' ' << stored;
        }
    }
}

TEST(Index, TheWholeRangeOfNumbers) {
  Table table{"t", TableKind::Exact, 4, 4, 8, {}};
  for (uint32_t number : {0xfffffffeU, 0xffffffffU})
    table.entries.push_back({bytes_of(number), bytes_of(number)});
  Index index;
  NoIndex why{};
  ASSERT_TRUE(make_index(table, index, why));
  EXPECT_EQ(find(index, bytes_of(0xffffffff), 4), bytes_of(0xffffffff));
  EXPECT_EQ(find(index, bytes_of(0), 4), std::nullopt);
  EXPECT_EQ(find(index, bytes_of(0xfffffffd), 4), std::nullopt);
}

TEST(Index, KeysOfAllSizesAndNumbersOfThem) {
  std::mt19937 random(5);
  for (uint32_t size : {1, 3, 4, 5, 7, 8, 11, 20, 40, 64})
    for (size_t count : {1, 2, 3, 10, 100, 1000}) {
      if (count > 10 && (size == 1 || (count == 1000 && size != 20))) continue;
      Table table{"t", TableKind::Exact, size, 5, 65536, {}};
      std::map<std::string, std::string> expected;
      while (expected.size() != count) { // keys that differ in a few bytes only, the last ones too
        std::string key(size, '\x11');
        for (uint32_t byte : {uint32_t(random() % size), size - 1, size / 2})
          key[byte] = static_cast<char>(random());
        expected[key] = bytes_of(random(), 5);
      }
      for (const auto& [key, value] : expected)
        table.entries.push_back({key, value});
      Index index;
      NoIndex why{};
      ASSERT_TRUE(make_index(table, index, why)) << why.code;
      for (const auto& [key, value] : expected) {
        ASSERT_EQ(find(index, key, 5), Found(value)) << size << ' ' << count;
        std::string other = key;
        other[random() % size] ^= 1;
        if (!expected.count(other)) ASSERT_EQ(find(index, other, 5), std::nullopt) << size << ' ' << count;
      }
    }
}

TEST(Index, NumbersFarApartAreHashed) {
  Index index;
  NoIndex why{};
  Table table{
      "t", TableKind::Exact, 4, 4, 8, {{bytes_of(1), bytes_of(1)}, {bytes_of(0x01020304), bytes_of(2)}}};
  ASSERT_TRUE(make_index(table, index, why));
  EXPECT_TRUE(index.hashed);
  EXPECT_EQ(find(index, bytes_of(0x01020304), 4), bytes_of(2));
  EXPECT_EQ(find(index, bytes_of(2), 4), std::nullopt);
}

TEST(Index, LongKeysAndShortAddressesHaveNone) {
  Index index;
  NoIndex why{};
  Table table{"t", TableKind::Exact, 65, 4, 8, {{bytes_of(1, 65), bytes_of(1)}}};
  EXPECT_FALSE(make_index(table, index, why));
  EXPECT_STREQ(why.code, "wide-keys");
  table = {"t", TableKind::Lpm, 5, 4, 8, {{bytes_of(8, 5), bytes_of(1)}}};
  EXPECT_FALSE(make_index(table, index, why));
  EXPECT_STREQ(why.code, "short-keys");
}

TEST(Index, LongestPrefix) {
  std::mt19937 random(3);
  for (uint32_t size : {2, 3, 4, 16})
    for (int round = 0; round != 10; ++round) {
      Table table{"t", TableKind::Lpm, 4 + size, 4, 1024, {}};
      std::map<std::string, bool> known; // by length and covered bits
      // Few different bytes, so that prefixes lie in each other.
      auto address = [&] {
        std::string bytes;
        for (uint32_t i = 0; i != size; ++i)
          bytes += static_cast<char>(random() % 3 * 0x55);
        return bytes;
      };
      for (int i = 0; i != 60; ++i) {
        uint32_t bits = random() % (size * 8 + 1);
        std::string key = bytes_of(bits) + address(), covered = key;
        for (uint32_t bit = bits; bit != size * 8; ++bit)
          covered[4 + bit / 8] = static_cast<char>(covered[4 + bit / 8] & ~(0x80 >> (bit % 8)));
        if (known.emplace(covered, true).second)
          table.entries.push_back({key, bytes_of(table.entries.size())});
      }
      Index index;
      NoIndex why{};
      ASSERT_TRUE(make_index(table, index, why)) << why.code;
      for (int i = 0; i != 500; ++i) {
        std::string key = bytes_of(size * 8) + address();
        if (i % 2) key[4 + random() % size] = static_cast<char>(random());
        ASSERT_EQ(find(index, key, 4), longest_match(table, key)) << size << " bytes";
      }
    }
}

TEST(Index, ShorterKeysAreForTheTable) {
  Table table{"t", TableKind::Lpm, 8, 4, 8, {}};
  table.entries = {{bytes_of(8) + bytes_of(0x0a), bytes_of(1)},
                   {bytes_of(24) + bytes_of(0x02010a), bytes_of(2)}};
  Index index;
  NoIndex why{};
  ASSERT_TRUE(make_index(table, index, why));
  EXPECT_EQ(index.least_bits, 24U);
  EXPECT_EQ(index.levels, 1U);
}

TEST(Index, TooLarge) {
  Table table{"t", TableKind::Lpm, 20, 4, 65536, {}};
  std::mt19937 random(4);
  for (int i = 0; i != 5000; ++i) {
    std::string key = bytes_of(128);
    for (int byte = 0; byte != 16; ++byte)
      key += static_cast<char>(random());
    table.entries.push_back({key, bytes_of(i)});
  }
  Index index;
  NoIndex why{};
  EXPECT_FALSE(make_index(table, index, why));
  EXPECT_STREQ(why.code, "large-index");
}

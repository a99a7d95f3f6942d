// What lines cost, by when they come back.
#include "plan/code_price.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

using namespace heddle;

namespace {

// So many lines, each run by every packet.
CodeLines lines(uint32_t graph_lines, uint32_t first, uint32_t count) {
  Witnesses ran;
  for (unsigned witness = 0; witness != most_witnesses; ++witness)
    ran.set(witness);
  CodeLines result(graph_lines);
  for (uint32_t line = first; line != first + count; ++line)
    result.add({{line, ran}});
  return result;
}

double twelve_above_512(double lines) {
  return lines > 512 ? 12 : 0;
}

TEST(CodePrice, OfCodeThatFitsIsNothingAndOfStagesThatFitTheFirstPacketsMisses) {
  const CodePrice fits(lines(1000, 0, 500), most_witnesses, twelve_above_512, 0);
  EXPECT_DOUBLE_EQ(fits.of_whole(), 0);
  const CodePrice exceeds(lines(1000, 0, 1000), most_witnesses, twelve_above_512, 0);
  EXPECT_DOUBLE_EQ(exceeds.of_whole(), 12 * 1000);
  EXPECT_DOUBLE_EQ(exceeds.of_stage(lines(1000, 0, 500), 32), 12 * 500 / 32.0);
  EXPECT_DOUBLE_EQ(exceeds.of_stage(lines(1000, 0, 500), 1), 12 * 500);
}

TEST(CodePrice, ALineThatFewPacketsRunComesBackAfterMany) {
  // 450 lines of every packet, and 150 more of every second one: 525 a packet on the average, 562 two of them.
  CodeLines all = lines(600, 0, 450);
  Witnesses second;
  for (unsigned witness = 0; witness != most_witnesses; witness += 2)
    second.set(witness);
  for (uint32_t line = 450; line != 600; ++line)
    all.add({{line, second}});
  const CodePrice price(all, most_witnesses, [](double n) { return n > 540 ? 12.0 : 0.0; }, 0);
  EXPECT_NEAR(price.of_whole(), 150 * 12 / 2.0, 1e-6);
}

TEST(CodePrice, ChanceOfEvictionIsOneOfManyAndNoneOfFew) {
  EXPECT_NEAR(chance_evicted(0, 64, 8), 0, 1e-12);
  EXPECT_NEAR(chance_evicted(512, 64, 8), 0.547, 0.001); // Poisson's distribution, mean 8, of at least 8
  EXPECT_NEAR(chance_evicted(10000, 64, 8), 1, 1e-9);
}

// A cache of 64 sets and 8 ways, in which a stage's lines lie at random and are run in turn.
double simulated_misses(unsigned count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned> set_of(count);
  for (unsigned& set : set_of)
    set = random() % 64;
  std::vector<std::list<unsigned>> sets(64);
  unsigned misses = 0;
  constexpr unsigned rounds = 20;
  for (unsigned round = 0; round != rounds; ++round)
    for (unsigned line = 0; line != count; ++line) {
      std::list<unsigned>& set = sets[set_of[line]];
      auto found = std::find(set.begin(), set.end(), line);
      if (found != set.end())
        set.erase(found);
      else if (round != 0)
        ++misses;
      set.push_front(line);
      if (set.size() > 8) set.pop_back();
    }
  return double(misses) / (rounds - 1) / count;
}

TEST(CodePrice, SetsThatOverflowAreThoseOfASimulatedCache) {
  for (unsigned count : {128u, 256u, 384u, 512u, 700u}) {
    double simulated = 0;
    for (unsigned seed = 0; seed != 40; ++seed)
      simulated += simulated_misses(count, seed) / 40;
    const CodeLines all = lines(count, 0, count);
    const CodePrice price(all, most_witnesses, [](double n) { return n > 512 ? 1.0 : 0.0; }, 64);
    EXPECT_NEAR(price.of_whole() / count, simulated, 0.02) << count;
  }
}

} // namespace

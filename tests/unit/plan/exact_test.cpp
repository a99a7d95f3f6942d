// The cheapest labelling of small bodies, against all there are.
#include "graphs.h"

#include "plan/exact.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace heddle;
using testing::ElementsAre;

namespace {

const LineWeights batch_of_eight(most_witnesses, FootprintModel::Batch, 8);
const LineWeights one_packet(most_witnesses, FootprintModel::Batch, 1);

// Stages of more than ten lines cost the square of what is over.
double price(const CodeLines& lines) {
  return lines.of_batch(one_packet) + std::pow(std::max(0.0, lines.of_batch(batch_of_eight) - 10), 2);
}

double cycles(const Condensed& condensed, const std::vector<unsigned>& stages, double crossing, double cut) {
  std::vector<CodeLines> lines(condensed.groups.size(), CodeLines(condensed.lines));
  unsigned last = 0;
  for (size_t g = 0; g != stages.size(); ++g) {
    lines[stages[g]].add(condensed.groups[g].lines);
    last = std::max(last, stages[g]);
  }
  double total = last * cut;
  for (unsigned s = 0; s <= last; ++s)
    total += price(lines[s]);
  for (const CutLink& link : condensed.links)
    if (stages[link.from] < stages[link.to]) total += link.crossings * crossing;
  return total;
}

// Every labelling of the groups from `group` on.
double least(const Condensed& condensed, std::vector<unsigned>& stages, size_t group, double crossing,
             double cut) {
  if (group == stages.size()) return cycles(condensed, stages, crossing, cut);
  unsigned low = 0;
  for (uint32_t link : condensed.groups[group].in)
    low = std::max(low, stages[condensed.links[link].from]);
  double fewest = HUGE_VAL;
  for (unsigned stage = low; stage != stages.size(); ++stage) {
    stages[group] = stage;
    fewest = std::min(fewest, least(condensed, stages, group + 1, crossing, cut));
  }
  return fewest;
}

// Groups of some lines, some of which they share, each with a way from an earlier one and some with two.
Condensed random_body(unsigned seed, unsigned count) {
  std::minstd_rand random(seed);
  Condensed condensed{{}, {}, {}, 12 * count, most_witnesses, batch_of_eight};
  condensed.groups.resize(count);
  for (uint32_t g = 0; g != count; ++g) {
    const auto first = uint32_t(9 * g);
    for (uint32_t lines = uint32_t(random() % 12), line = first; line != first + lines; ++line)
      condensed.groups[g].lines.push_back({line, Witnesses(uint64_t(random()) << (random() % 64))});
    for (unsigned ways = g == 0 ? 0 : 1 + unsigned(random() % 2); ways != 0; --ways) {
      const auto link = uint32_t(condensed.links.size());
      const auto from = uint32_t(random() % g);
      condensed.links.push_back({from, g, double(random() % 3), 1});
      condensed.groups[from].out.push_back(link);
      condensed.groups[g].in.push_back(link);
    }
  }
  return condensed;
}

TEST(Exact, IsTheLeastOfAllLabellings) {
  for (unsigned seed = 1; seed != 40; ++seed) {
    const Condensed body = random_body(seed, 6);
    const auto stages = cheapest_stages(body, price, 5, 1);
    ASSERT_TRUE(stages);
    for (const CutLink& link : body.links)
      EXPECT_LE((*stages)[link.from], (*stages)[link.to]);
    std::vector<unsigned> all(body.groups.size());
    EXPECT_NEAR(cycles(body, *stages, 5, 1), least(body, all, 0, 5, 1), 1e-9) << seed;
  }
}

TEST(Exact, NoCutThatCostsMoreThanItSaves) {
  const Condensed body = condense(test::chain(4, 4));
  EXPECT_THAT(*cheapest_stages(body, price, 1000, 0), ElementsAre(0, 0, 0, 0));
}

TEST(Exact, BodiesWithTooManyCutsAreLeftToTheSearch) {
  Condensed body = random_body(1, 1);
  body.links.clear();
  body.groups.resize(12); // 4,096 sets
  EXPECT_FALSE(cheapest_stages(body, price, 1, 1));
  body.groups.resize(100);
  EXPECT_FALSE(cheapest_stages(body, price, 1, 1));
}

} // namespace

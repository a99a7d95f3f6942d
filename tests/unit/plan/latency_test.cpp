// When stepping aside takes less time than waiting, by the figures of docs/hide.md.
#include "plan/latency.h"
#include "program/openings.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::ElementsAre;

namespace {

const MemoryModel model;

// Pointer chasing: so many hops, about five instructions each.
const Hidden left, aside{true, 0};

llvm::SmallVector<Hidden, 8> hidden_of_chase(double hops, double stall) {
  return choose_hidden(5 + 5 * hops, LoadCost{hops, stall}, 64, model);
}

TEST(Latency, AShortChainIsLeftToTheProcessor) {
  EXPECT_THAT(hidden_of_chase(1, model.memory), ElementsAre(left));
  EXPECT_THAT(hidden_of_chase(10, model.level2), ElementsAre(left));
}

TEST(Latency, ALongChainIsHidden) {
  EXPECT_THAT(hidden_of_chase(100, model.memory), ElementsAre(aside));
  EXPECT_THAT(hidden_of_chase(100, model.level2), ElementsAre(aside));
  EXPECT_THAT(hidden_of_chase(10, model.memory), ElementsAre(aside));
}

TEST(Latency, AShortLookUpInALongPacketIsHidden) {
  EXPECT_THAT(choose_hidden(2000, LoadCost{1, model.memory}, 64, model), ElementsAre(aside));
}

TEST(Latency, LoadsThatAreAnsweredAtOnceStay) {
  EXPECT_THAT(choose_hidden(2000, {LoadCost{1, 0}, LoadCost{4, model.memory}, LoadCost{50, 1}}, 64, model),
              ElementsAre(left, aside, left));
}

// An automaton over 700 bytes: about twelve instructions each, of which the chain has five cycles nothing to do.
TEST(Latency, ALongChainInTheFirstCacheRunsInLanes) {
  const auto chosen = choose_hidden(8400, LoadCost{700, 3, 5, 12, 1}, 64, model);
  EXPECT_TRUE(chosen[0].hidden);
  EXPECT_GE(chosen[0].lanes, 8u);
  EXPECT_THAT(choose_hidden(40, LoadCost{3, 3, 5, 12, 1}, 64, model), ElementsAre(left));
}

TEST(Latency, ALongChainInMemoryStepsAside) {
  EXPECT_THAT(choose_hidden(500, LoadCost{100, model.memory, 5, 5, 1}, 64, model), ElementsAre(aside));
}

// The payload's bytes may come from memory; they are in the same loop.
TEST(Latency, NoLoadOfALoopInLanesStepsAside) {
  const auto chosen = choose_hidden(
      8400, {LoadCost{700, 3, 5, 12, 1}, LoadCost{700, 6, 0, 12, 1}, LoadCost{1, 330, 0, 12, 2}}, 64, model);
  EXPECT_TRUE(chosen[0].lanes != 0 ? !chosen[1].hidden : chosen[1].hidden) << chosen[0].lanes;
  EXPECT_EQ(chosen[2].lanes, 0u);
}

TEST(Latency, NothingIsHiddenFromOnePacketAlone) {
  EXPECT_THAT(choose_hidden(2000, LoadCost{10, model.memory}, 1, model), ElementsAre(left));
}

TEST(Latency, AFewPacketsAreNotWorthAPass) {
  EXPECT_GE(least_batch(55, LoadCost{10, model.level3}, aside, model), 8u);
  EXPECT_LE(least_batch(505, LoadCost{100, model.memory}, aside, model), 4u);
  EXPECT_LE(least_batch(2000, LoadCost{1, model.memory}, aside, model), 64u);
}

TEST(Latency, TheStallIsWhatTheSharesSay) {
  OpenedLoad load;
  load.accesses = 3;
  load.level2 = 0.5;
  load.memory = 0.25;
  load.walks = 0.1;
  EXPECT_DOUBLE_EQ(cost_of(load, model).stall, 0.5 * model.level2 + 0.25 * model.memory + 0.1 * model.walk);
  EXPECT_DOUBLE_EQ(cost_of(load, model).accesses, 3);
}

} // namespace

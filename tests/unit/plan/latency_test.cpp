// When stepping aside takes less time than waiting, by the figures of docs/hide.md.
#include "plan/latency.h"
#include "program/openings.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::ElementsAre;

namespace {

const MemoryModel model;

// Pointer chasing: so many hops, about five instructions each.
llvm::SmallVector<bool, 8> hidden_of_chase(double hops, double stall) {
  return choose_hidden(5 + 5 * hops, LoadCost{hops, stall}, 64, model);
}

TEST(Latency, AShortChainIsLeftToTheProcessor) {
  EXPECT_THAT(hidden_of_chase(1, model.memory), ElementsAre(false));
  EXPECT_THAT(hidden_of_chase(10, model.level2), ElementsAre(false));
}

TEST(Latency, ALongChainIsHidden) {
  EXPECT_THAT(hidden_of_chase(100, model.memory), ElementsAre(true));
  EXPECT_THAT(hidden_of_chase(100, model.level2), ElementsAre(true));
  EXPECT_THAT(hidden_of_chase(10, model.memory), ElementsAre(true));
}

TEST(Latency, AShortLookUpInALongPacketIsHidden) {
  EXPECT_THAT(choose_hidden(2000, LoadCost{1, model.memory}, 64, model), ElementsAre(true));
}

TEST(Latency, LoadsThatAreAnsweredAtOnceStay) {
  EXPECT_THAT(choose_hidden(2000, {LoadCost{1, 0}, LoadCost{4, model.memory}, LoadCost{50, 1}}, 64, model),
              ElementsAre(false, true, false));
}

TEST(Latency, NothingIsHiddenFromOnePacketAlone) {
  EXPECT_THAT(choose_hidden(2000, LoadCost{10, model.memory}, 1, model), ElementsAre(false));
}

TEST(Latency, AFewPacketsAreNotWorthAPass) {
  EXPECT_GE(least_batch(55, LoadCost{10, model.level3}, model), 8u);
  EXPECT_LE(least_batch(505, LoadCost{100, model.memory}, model), 4u);
  EXPECT_LE(least_batch(2000, LoadCost{1, model.memory}, model), 64u);
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

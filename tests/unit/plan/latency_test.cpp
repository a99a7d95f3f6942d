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
  EXPECT_THAT(hidden_of_chase(1, model.level3), ElementsAre(left));
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

// Where packets wait once more, before ordered code, a batch has to be larger.
TEST(Latency, OrderedCodeBehindTakesAStep) {
  LoadCost load{1, model.memory};
  const double free = predict_cycles(40, load, aside, 32, model);
  load.ordered_behind = true;
  const double ordered = predict_cycles(40, load, aside, 32, model);
  EXPECT_NEAR(ordered - free, model.step_instructions / model.per_cycle + model.pass / 32, 1e-9);
  EXPECT_EQ(predict_cycles(40, load, left, 32, model),
            predict_cycles(40, LoadCost{1, model.memory}, left, 32, model));
}

// However many are in flight, the last ones of a batch wait.
TEST(Latency, TheLastPacketsOfABatchWait) {
  const LoadCost load{1, model.memory};
  const double work = predict_cycles(40, LoadCost{1, 0}, aside, 32, model);
  EXPECT_NEAR(predict_cycles(40, load, aside, 32, model) - work, model.memory / model.prefetches_at_once,
              1e-9);
  EXPECT_NEAR(predict_cycles(40, load, aside, 32, model, 100) - work,
              model.memory / model.prefetches_at_once + model.memory / 100, 1e-9);
  EXPECT_GT(least_batch(10, load, aside, model), 64u);
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

// A trie's node has two lines, each of which comes from memory: four lanes save more of the first line's wait than stepping aside at that one
// alone does, but there is the other.
TEST(Latency, LanesAreWeighedAgainstAllLoadsOfTheirLoop) {
  const LoadCost line{3, model.memory, 6, 20, 1};
  EXPECT_THAT(choose_hidden(200, {line, line, line}, 64, model), ElementsAre(aside, aside, aside));
}

TEST(Latency, NothingIsHiddenFromOnePacketAlone) {
  EXPECT_THAT(choose_hidden(2000, LoadCost{10, model.memory}, 1, model), ElementsAre(left));
}

TEST(Latency, AFewPacketsAreNotWorthAPass) {
  EXPECT_GE(least_batch(55, LoadCost{10, model.level3}, aside, model), 8u);
  EXPECT_LE(least_batch(505, LoadCost{100, model.memory}, aside, model), 4u);
  EXPECT_LE(least_batch(2000, LoadCost{1, model.memory}, aside, model), 64u);
}

double cycles_as_it_is(double instructions, llvm::ArrayRef<LoadCost> loads) {
  return predict_cycles(instructions, loads, llvm::SmallVector<Hidden, 8>(loads.size()), 32, model);
}

LoadCost look_up(unsigned behind) {
  LoadCost cost{1, model.memory};
  cost.behind = behind;
  cost.follows_itself = false;
  return cost;
}

// One step less; what is fetched and not needed takes its share of what the core has under way.
TEST(Latency, AlongWithAnotherIsCheaperWhereMostNeedIt) {
  auto cycles = [](double needed, Hidden second) {
    return predict_cycles(200, {LoadCost{1, model.memory}, LoadCost{needed, model.memory}}, {aside, second},
                          64, model);
  };
  const Hidden along{true, 0, 1, 8};
  EXPECT_LT(cycles(1, along), cycles(1, aside));
  EXPECT_GT(cycles(0.2, along), cycles(0.2, aside));
}

// A packet of one window's length: the oldest of two look-ups whose addresses are known waits with that of the next packet and with half of what
// comes then; where one waits for the other, one packet more is under way.
TEST(Latency, AddressesThatAreKnownWaitTogether) {
  const double work = model.window / model.per_cycle;
  EXPECT_NEAR(cycles_as_it_is(model.window, {look_up(0), look_up(0)}), work + 2 * model.memory / 2.5, 1e-9);
  EXPECT_NEAR(cycles_as_it_is(model.window, {look_up(0), look_up(1)}), work + 2 * model.memory / 2, 1e-9);
}

// Packets that wait once: the window holds so many and, on average, half a packet's distance to the next wait (docs/model.md).
TEST(Latency, TheWindowBeginsAtTheLoadThatWaits) {
  const double instructions = model.window / 2;
  EXPECT_NEAR(cycles_as_it_is(instructions, {look_up(0)}),
              instructions / model.per_cycle + model.memory / 2.5, 1e-9);
}

TEST(Latency, NoLookUpWaitsWithOneBeyondTheWindow) {
  const double many = 100 * model.window;
  EXPECT_NEAR(cycles_as_it_is(many, {look_up(0), look_up(0)}), many / model.per_cycle + 2 * model.memory,
              1e-9);
}

TEST(Latency, ManyShortWaitsMakeALongOneNoShorter) {
  std::vector<LoadCost> loads{look_up(0)};
  for (unsigned i = 0; i != 50; ++i)
    loads.push_back({1, 1, 0, 0, 0, 0, false});
  EXPECT_GE(cycles_as_it_is(model.window, loads), model.window / model.per_cycle + model.memory / 2);
}

TEST(Latency, NoMoreLoadsWaitTogetherThanTheCoreHasMisses) {
  const std::vector<LoadCost> loads(100, look_up(0));
  EXPECT_GE(cycles_as_it_is(20, loads), 100 * model.memory / model.misses_at_once);
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

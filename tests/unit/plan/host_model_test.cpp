// What a calibrated host makes of the models' constants.
#include "graphs.h"

#include "plan/host_model.h"

#include <gmock/gmock.h>

using namespace heddle;

namespace {

Figure figure(double value) {
  return {value, 1, "made up"};
}

Host host() {
  Host host;
  host.data = {{"level2", "4 KiB", 512, figure(15), {}, {}, {}},
               {"memory", "4 KiB", 1 << 18, figure(400), figure(8), {}, figure(16)},
               {"memory", "2 MiB", 1 << 18, figure(300), figure(10), {}, figure(20)}};
  host.walk_cycles = figure(100);
  host.instructions_per_cycle = figure(4);
  host.step_cycles = figure(6);
  host.crossing_cycles = figure(9);
  host.front_end = {"made up", 16, 14, 14, {{16, 0.25, 0.25, 0.25}, {64, 0.5, 0.5, 0.5}, {1024, 1, 1, 1}}};
  return host;
}

TEST(HostModel, FiguresTakeTheConstantsPlaces) {
  const MemoryModel model = memory_model(host());
  EXPECT_EQ(model.level2, 15);
  EXPECT_EQ(model.memory, 300); // without the walk
  EXPECT_EQ(model.walk, 100);
  EXPECT_EQ(model.misses_at_once, 10);
  EXPECT_EQ(model.prefetches_at_once, 20);
  EXPECT_EQ(model.per_cycle, 4);
  EXPECT_EQ(model.step_instructions, 24);
}

TEST(HostModel, WhatIsNotKnownStays) {
  const MemoryModel model = memory_model(host()), builtin;
  EXPECT_EQ(model.level3, builtin.level3);
  EXPECT_EQ(model.window, builtin.window);
  EXPECT_EQ(memory_model(Host()).memory, builtin.memory);
  PlanOptions options;
  price_for(Host(), options);
  EXPECT_FALSE(options.refill_cycles);
  EXPECT_EQ(options.crossing_cycles, PlanOptions().crossing_cycles);
}

TEST(HostModel, LessThanOneMissAtOnceIsNone) {
  Host noisy = host();
  noisy.data.back().loads_at_once = figure(0.4);
  EXPECT_EQ(memory_model(noisy).misses_at_once, 1);
}

// Ten blocks of 100 lines, in a cache of 512.
double saved(double crossing, std::function<double(double)> refill) {
  CutGraph graph = test::chain(10, 100);
  PlanOptions options;
  options.hide = false;
  options.only_if_pays = true;
  options.crossing_cycles = crossing;
  options.refill_cycles = std::move(refill);
  return llvm::cantFail(make_plan("program", {graph}, options)).bodies[0].cycles_saved;
}

TEST(HostModel, CutsArePricedByWhatCodeOfThatSizeCosts) {
  PlanOptions priced;
  price_for(host(), priced);
  EXPECT_NEAR(priced.refill_cycles(1024), 14 * 0.25, 1e-9);
  const double cheap = saved(9, [&](double lines) { return lines > 512 ? 1.0 : 0.0; });
  const double dear = saved(9, [&](double lines) { return lines > 512 ? 10.0 : 0.0; });
  EXPECT_GT(cheap, 0);
  EXPECT_GT(dear, 9 * cheap);
}

TEST(HostModel, WithoutACalibratedHostLinesCostTheMoreTheMoreThereAre) {
  for (double cache : {512.0, 1024.0}) {
    EXPECT_EQ(builtin_refill_cycles(cache / 2, cache), 0);
    double last = 0;
    for (double lines = cache / 2; lines < 200000; lines *= 1.1) {
      EXPECT_GE(builtin_refill_cycles(lines, cache), last) << lines;
      last = builtin_refill_cycles(lines, cache);
    }
    EXPECT_GT(last, 40);
  }
}

TEST(HostModel, CodeThatCostsTheSameEverywhereIsNotCut) {
  EXPECT_EQ(saved(9, [](double) { return 3.0; }), 0);
}

} // namespace

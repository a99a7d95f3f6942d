// The model of overlapping waits beside a core that is simulated instruction by instruction: each begins when the one a window before it has
// retired, they retire in order, and a load takes its latency from when the packet's load before it has come.
#include "plan/latency.h"

#include <gmock/gmock.h>

#include <deque>
#include <random>

using namespace heddle;

namespace {

constexpr double latency = 600;

// Cycles that a packet waits. Packets are from half to one and a half times as long as the mean, with so many loads each, one behind the other.
double simulated_wait(unsigned mean_instructions, unsigned window, unsigned turns) {
  std::minstd_rand random(1);
  std::deque<double> retired; // of the last instructions, so many as the window holds
  double begun = 0, last = 0;
  constexpr unsigned packets = 2000;
  for (unsigned packet = 0; packet != packets; ++packet) {
    const unsigned instructions = mean_instructions / 2 + unsigned(random()) % mean_instructions;
    double loaded = 0;
    for (unsigned i = 0, load = 0; i != instructions; ++i) {
      if (retired.size() == window) {
        begun = std::max(begun, retired.front());
        retired.pop_front();
      }
      double done = begun;
      if (load != turns && i >= instructions * load / turns) {
        ++load;
        done = loaded = std::max(begun, loaded) + latency;
      }
      retired.push_back(last = std::max(last, done));
    }
  }
  return last / packets;
}

double modelled_wait(unsigned mean_instructions, unsigned window, unsigned turns) {
  MemoryModel model;
  model.window = window;
  model.misses_at_once = 1000;
  const double work = mean_instructions / model.per_cycle;
  return predict_cycles(mean_instructions, LoadCost{double(turns), latency}, Hidden{}, 32, model) - work;
}

struct Case {
  unsigned instructions, window, turns;
};

class Window : public testing::TestWithParam<Case> {};

TEST_P(Window, OverlapsAsManyPacketsAsASimulatedCore) {
  const auto [instructions, window, turns] = GetParam();
  const double simulated = simulated_wait(instructions, window, turns);
  EXPECT_NEAR(modelled_wait(instructions, window, turns) / simulated, 1, 0.15) << simulated;
}

INSTANTIATE_TEST_SUITE_P(Packets, Window,
                         testing::Values(Case{64, 200, 1}, Case{128, 200, 1}, Case{172, 200, 1},
                                         Case{256, 200, 1}, Case{172, 300, 1}, Case{2000, 200, 1},
                                         Case{64, 200, 2}, Case{128, 200, 2}, Case{192, 200, 2},
                                         Case{96, 300, 3}, Case{192, 300, 3}, Case{256, 300, 4}));

} // namespace

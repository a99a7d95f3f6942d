#include "host/clock.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <chrono>

namespace heddle {

namespace {

constexpr unsigned gauge =
    4096; // additions: long against reading the counter, short against an interrupt's distance

using SteadyClock = std::chrono::steady_clock;

double nanoseconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double, std::nano>(SteadyClock::now() - begin).count();
}

} // namespace

uint64_t ticks_of_additions(unsigned additions) {
  uint64_t sum = 1;
  const uint64_t begin = ticks();
  for (unsigned left = additions / 16; left != 0; --left)
    __asm__ volatile(".rept 16\n\tadd %0, %0\n\t.endr" : "+r"(sum));
  return ticks() - begin;
}

Summary measure_cycles(unsigned rounds, double units, llvm::function_ref<void()> run,
                       llvm::function_ref<void()> prepare) {
  std::vector<double> samples;
  for (unsigned i = 0; i != rounds; ++i) {
    prepare();
    const uint64_t before = ticks_of_additions(gauge), begin = ticks();
    run();
    const uint64_t taken = ticks() - begin, after = ticks_of_additions(gauge);
    samples.push_back(double(taken) * gauge / double(std::min(before, after)) / units);
  }
  return summarise(std::move(samples));
}

Summary measure_noise(unsigned milliseconds) {
  std::vector<double> samples;
  const auto begin = SteadyClock::now();
  while (nanoseconds_since(begin) < milliseconds * 1e6)
    samples.push_back(double(ticks_of_additions(10 * gauge)));
  return summarise(std::move(samples));
}

Frequencies measure_frequencies() {
  std::vector<double> clock, core;
  for (unsigned i = 0; i != 64; ++i) {
    constexpr unsigned additions = 200 * gauge;
    const auto begin = SteadyClock::now();
    const double taken = double(ticks_of_additions(additions)), nanoseconds = nanoseconds_since(begin);
    clock.push_back(taken / nanoseconds);
    core.push_back(nanoseconds / additions); // a time, as interrupts lengthen those
  }
  Frequencies found{summarise(std::move(clock)), summarise(std::move(core))};
  if (found.core.median > 0) found.core.median = 1 / found.core.median;
  return found;
}

} // namespace heddle

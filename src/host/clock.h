// Time in cycles of the core.
//
// The time stamp counter is cheap to read but counts a frequency of its own, and the core's own counter needs privileges and is often
// not there in virtual machines. A chain of additions of a register to itself takes one cycle each on every x86-64 processor, so the
// counter is gauged with such a chain before and after each measurement; of the two the faster counts, as an interrupt only lengthens.
#pragma once

#include "host/samples.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#ifndef __x86_64__
#error "Heddle measures x86-64 machines only: cycles are counted by rdtsc and code is generated for it"
#endif

#include <cstdint>

namespace heddle {

inline uint64_t ticks() {
  uint32_t low, high;
  __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
  return uint64_t(high) << 32 | low;
}

// Ticks of a chain of that many additions, a multiple of 16.
uint64_t ticks_of_additions(unsigned additions);

// Cycles of each of `rounds` runs, per `units` of work in one. `prepare` comes before each run and does not count.
Summary measure_cycles(
    unsigned rounds, double units, llvm::function_ref<void()> run,
    llvm::function_ref<void()> prepare = [] {});

// The noise of this core: relative time of a fixed chain, sampled for `milliseconds`.
Summary measure_noise(unsigned milliseconds);

// Frequencies of the time stamp counter and of the core, in GHz, from the system's clock.
struct Frequencies {
  Summary clock, core;
};
Frequencies measure_frequencies();

} // namespace heddle

// What waiting for memory costs a packet, and what stepping aside saves: one model behind one interface.
//
// A processor overlaps waits by itself, as far as its window of instructions reaches: those of neighbouring packets (G-Opt's own figures have
// interleaving lose where look-ups are short, section 3.3; docs/hide.md), and those of one packet whose addresses do not depend on each
// other (the overlapped stalls of APSys 2017, section 2). So a packet of few instructions has its waits divided by many without any help,
// and one of thousands, or one that walks a list, has them in full.
#pragma once

#include "plan/cycle_shares.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>

namespace heddle {

struct OpenedLoad;

// Cycles, of the processor of docs/hide.md; a calibrated host takes their place.
struct MemoryModel {
  double level2 = 14, level3 = 200, memory = 330, walk = 30; // until a load is answered there; a translation
  double misses_at_once =
      12; // that one core has under way by loads, which all go through its first level of cache
  double prefetches_at_once = 24; // likewise by prefetches into the second
  double window = 256;        // instructions that run ahead, in practice: half of what the processor can hold
  double per_cycle = 3;       // instructions
  double cycles_per_tick = 1; // of the time stamp counter
  double per_cycle_in_lanes = 4.5; // of loops that wait for nothing
  double step_instructions = 20;   // that it takes to step aside and come back
  double pass = 25;                // cycles to begin and end a run of all packets that wait at one place
  double lane_instructions =
      0.2;                // that an iteration takes more for each lane: not all fits into the registers
  double lane_turn = 100; // instructions that it takes for a packet to come into a lane and to leave it
};

// Of one load, per packet.
struct LoadCost {
  double accesses = 0;
  double stall = 0;     // cycles per access
  double chain = 0;     // likewise, whatever cache answers (OpenedLoad::chain)
  double iteration = 0; // instructions of the loop
  uint32_t loop = 0;    // the one around it, which packets could run in lanes if it has a chain; 0: none
  // What it waits for itself (program/address_chain.h). A load that nothing is known of waits for itself.
  unsigned behind = 0;
  bool follows_itself = true;
  // There is ordered code behind it, before which packets wait once more.
  bool ordered_behind = false;
};

LoadCost cost_of(const OpenedLoad& load, const MemoryModel& model);

// What is done about a load.
struct Hidden {
  bool hidden = false;
  unsigned lanes = 0; // of the loop around it (transform/lanes.h); 0: packets step aside
  // Not 0: they do not. Where they step aside for another load it is fetched, too, so many times a packet; that takes so many instructions.
  double along = 0;
  unsigned instructions = 0;
  bool operator==(const Hidden&) const = default;
};

// Cycles of an access that are worth looking at: less is noise. Nor does a packet step aside for less: a chain in the first level of cache, of
// which each load has the idle cycles, is for lanes alone.
inline constexpr double least_stall = 5;

// Which level of cache a prefetch should fill. The second can wait for more lines at a time than the first; only what lies there already
// has to go to the first.
unsigned cache_to_fill(const OpenedLoad& load);

// Cycles per packet of a body with that many instructions, `in_flight` packets at a time, of a batch of so many: of any number, if that is not said.
CycleShares predict_shares(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden,
                           double in_flight, const MemoryModel& model, double batch = HUGE_VAL);
double predict_cycles(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden,
                      double in_flight, const MemoryModel& model, double batch = HUGE_VAL);

// Which loads to hide, and how, for the fewest cycles; none where that is less than a tenth below what the body takes as it is, which the
// model may be wrong by.
llvm::SmallVector<Hidden, 8> choose_hidden(double instructions, llvm::ArrayRef<LoadCost> loads,
                                           double in_flight, const MemoryModel& model);

// The fewest packets of a batch, 2 to 256, with which these loads, hidden so, pay as above.
unsigned least_batch(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden,
                     const MemoryModel& model);

} // namespace heddle

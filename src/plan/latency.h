// What waiting for memory costs a packet, and what stepping aside saves: one model behind one interface.
//
// A processor overlaps the waits of neighbouring packets by itself, as far as its window of instructions reaches: G-Opt's own figures have
// interleaving lose where look-ups are short (section 3.3; docs/hide.md). So a packet of few instructions has its waits divided by
// many without any help, and one of thousands has them in full.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

struct OpenedLoad;

// Cycles, of the processor of docs/hide.md; a calibrated host takes their place.
struct MemoryModel {
  double level2 = 14, level3 = 200, memory = 330, walk = 30; // until a load is answered there; a translation
  double misses_at_once =
      12; // that one core has under way by loads, which all go through its first level of cache
  double prefetches_at_once = 24; // likewise by prefetches into the second
  double window = 256;  // instructions that run ahead, in practice: half of what the processor can hold
  double per_cycle = 3; // instructions
  double step_instructions = 20; // that it takes to step aside and come back
  double pass = 25;              // cycles to begin and end a run of all packets that wait at one place
};

// Of one load, per packet.
struct LoadCost {
  double accesses = 0;
  double stall = 0; // cycles per access
};

LoadCost cost_of(const OpenedLoad& load, const MemoryModel& model);

// Which level of cache a prefetch should fill. The second can wait for more lines at a time than the first; only what lies there already
// has to go to the first.
unsigned cache_to_fill(const OpenedLoad& load);

// Cycles per packet of a body with that many instructions. `hidden`: by load, whether packets step aside there, `in_flight` of them.
double predict_cycles(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<bool> hidden,
                      double in_flight, const MemoryModel& model);

// Which loads to hide for the fewest cycles; none where that is less than a tenth below what the body takes as it is, which the
// model may be wrong by.
llvm::SmallVector<bool, 8> choose_hidden(double instructions, llvm::ArrayRef<LoadCost> loads,
                                         double in_flight, const MemoryModel& model);

// The fewest packets of a batch, 2 to 64, with which these hidden loads pay as above.
unsigned least_batch(double instructions, llvm::ArrayRef<LoadCost> hidden, const MemoryModel& model);

} // namespace heddle

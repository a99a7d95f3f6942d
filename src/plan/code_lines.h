// Lines of instruction cache that some nodes take together, each line counted once.
//
// Problem. Blocks are short: neighbours share a line, and a helper function's lines belong to every node that calls it. Added up over
// its blocks, what a packet of nginx runs came to 1,687 lines where it is 681.
//
// Choice. Each node keeps which witnesses ran which of its lines (LineUse), and sets of nodes are united line by line. So what exclusive
// branches share and what blocks in a row share is told apart, which the chance of each node alone cannot. What it costs is that
// footprints do not add: a stage's is what it holds, and moving a group may cost less than the group's own lines.
#pragma once

#include "analysis/cut_graph.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <vector>

namespace heddle {

// How much of the instruction cache a line takes while one stage runs.
//
// PerVisit is the paper's: everything that any packet of the sample ever ran counts, however rarely.
// Batch weighs each line by the chance that at least one of the batch's packets runs it, 1 - (1 - p)^batch:
// what has to fit is the union of what a batch of mixed traffic touches. At 32 packets a line that one
// packet in twenty runs counts four fifths, and one that a packet in a thousand runs counts a thirtieth.
// Batch is the default: for mixed traffic it asks exactly for what staging needs, and it is never above
// PerVisit.
enum class FootprintModel { PerVisit, Batch };

// What a line counts by the number of witnesses that ran it, for a batch of so many packets.
class LineWeights {
public:
  // `witnesses`: of the graph, at most most_witnesses.
  LineWeights(unsigned witnesses, FootprintModel model, unsigned batch);
  double of_batch(const Witnesses& ran) const { return of_batch_[ran.count()]; }

private:
  std::array<double, most_witnesses + 1> of_batch_{};
};

// How many lines so many witnesses ran.
using LineCounts = std::array<uint32_t, most_witnesses + 1>;

class CodeLines {
public:
  // Of a graph with so many lines.
  explicit CodeLines(size_t lines = 0) : ran_(lines), held_(lines) {}

  void add(llvm::ArrayRef<LineUse> uses);
  // By how much of_batch() would grow.
  double growth(llvm::ArrayRef<LineUse> uses, const LineWeights& weights) const;

  double of_batch(const LineWeights& weights) const; // S: of a batch together; of one packet, expected
  LineCounts counts() const;

private:
  std::vector<Witnesses> ran_;
  std::vector<bool> held_; // a line that no witness ran may still be one that the sample ran
};

} // namespace heddle

// Visits, cost and heat of a block (NanoPL, section 5.2).
//
// U_B, the unique lines that one visit touches, is read off the block's machine ranges: a block is straight
// code, so every visit touches all of it. s(B) = E[U_B] is then the block's own number of lines, and
// InstrExec(B) is visits times instructions. Two blocks that share a line both count it: the planner's sums
// are over segments, where it asks the footprint for the union.
#include "profile/weights.h"

#include <utility>

namespace heddle {

std::vector<BlockWeight> weigh_blocks(const Trace& trace, const FootprintMap& footprint, unsigned line_size) {
  std::vector<BlockWeight> weights(footprint.size());
  std::vector<size_t> seen_in(weights.size()); // last packet that ran the block, counted from 1
  for (size_t p = 0; p != trace.packets.size(); ++p)
    for (BlockId block : trace.blocks(trace.packets[p])) {
      if (block >= weights.size()) continue;
      ++weights[block].visits;
      if (std::exchange(seen_in[block], p + 1) != p + 1) ++weights[block].packets;
    }

  double packets = double(trace.packets.size());
  for (size_t block = 0; block < weights.size(); ++block) {
    BlockWeight& weight = weights[block];
    weight.cost = footprint[block].lines(line_size);
    if (weight.visits)
      weight.heat = double(weight.visits) * double(footprint[block].instructions()) / packets;
  }
  return weights;
}

} // namespace heddle

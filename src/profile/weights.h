// The paper's per-block figures (NanoPL section 5.2), from a trace and a footprint map.
#pragma once

#include "profile/footprint.h"
#include "profile/trace.h"

namespace heddle {

struct BlockWeight {
  uint64_t visits = 0;  // Visits(B), in the sample
  uint64_t packets = 0; // packets of the sample that ran it at least once
  double cost = 0;      // s(B) = E[U_B]: unique instruction-cache lines touched per visit
  double heat = 0;      // h(B) = InstrExec(B) / N: instructions per packet
};

// Indexed by BlockId.
std::vector<BlockWeight> weigh_blocks(const Trace& trace, const FootprintMap& footprint,
                                      unsigned line_size = 64);

} // namespace heddle

// What would free a shared location of its window: advice for the program's owner, who reads it in an
// explanation.
#pragma once

#include "analysis/access_table.h"
#include "analysis/cut_graph.h"
#include "analysis/sharing.h"

namespace heddle {

struct HintAbout {
  const MemoryObject& object;
  const AccessTable& table;
  llvm::ArrayRef<uint32_t> accesses; // keys of the table
  const SharedLocation& location;    // `ran` and `sampled` are known
  const PointsTo& points_to;
  const Sharing& sharing;
  const std::string&
      not_scratch; // why packets have no copies of it; empty: made for each packet, or no variable
};

// One sentence: which relaxation, and the condition under which it would hold. Heddle does not claim that it
// does.
std::string what_would_free(const HintAbout& about);

} // namespace heddle

// Where to cut: one interface, several policies. Stages are numbered from 0.
#pragma once

#include "plan/condense.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace heddle {

struct Budget {
  double lines = 512;         // instruction-cache lines that one stage may take
  unsigned expansions = 1000; // most cuts that the search looks at for one stage
};

class CutPolicy {
public:
  virtual ~CutPolicy() = default;
  virtual llvm::StringRef name() const = 0;
  // One stage per group; never lower along a link, every number below the highest in use.
  virtual std::vector<unsigned> stages(const Condensed& condensed, const Budget& budget) const = 0;
};

// "optimistic-bound": the paper's search (NanoPL section 5.2), on the footprint of the sample.
// "greedy-heat": the paper's comparison (figure 5b): always on to the hottest block.
// "conservative": the paper's comparison (section 7.3): every possible path between two cuts fits.
// "finest": every legal cut at once; for tests (make_plan() never drops its cuts).
// "none": one stage.
// Errors: unknown name; the hint lists the names.
llvm::Expected<std::unique_ptr<CutPolicy>> make_policy(llvm::StringRef name);

// Moves groups between neighbouring stages where that saves crossings (then: sites) and keeps every stage
// within the budget or where it was. Code that the sample never ran has no cost and moves freely: this is
// what keeps cold code from scattering sites.
void settle_stages(const Condensed& condensed, const Budget& budget, std::vector<unsigned>& stages);

// Closes gaps in the numbering; returns the number of stages.
unsigned renumber_stages(std::vector<unsigned>& stages);

} // namespace heddle

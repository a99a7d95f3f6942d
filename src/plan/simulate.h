// Instruction-cache misses of the traced packets, as they ran and as a plan would have them run. Simulated.
#pragma once

#include "plan/plan.h"
#include "plan/study.h"
#include "profile/icache.h"

namespace heddle {

struct SimulatedMisses {
  std::string cache; // "32K:8"
  CacheResult original, staged;
};

llvm::Expected<std::vector<SimulatedMisses>> simulate(const Trace& trace, const Study& study,
                                                      const Plan& plan, llvm::ArrayRef<CacheGeometry> caches);

void print_misses(llvm::ArrayRef<SimulatedMisses> misses, llvm::raw_ostream& out);

} // namespace heddle

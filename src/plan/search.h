// The search for one stage: from a head, the best set of groups to put before the next cut.
#pragma once

#include "plan/policy.h"

#include "llvm/ADT/BitVector.h"

namespace heddle {

enum class AdvanceBy { OptimisticBound, Heat };

class SegmentSearch {
public:
  SegmentSearch(const Condensed& condensed, const Budget& budget, AdvanceBy advance);

  // The groups of the next stage when those in `placed` have one already; empty when all have.
  // Within the budget, unless the only way on is one group that exceeds it by itself.
  llvm::BitVector next_segment(const llvm::BitVector& placed);

private:
  struct Cut {
    llvm::BitVector taken;       // placed before, and the segment
    std::vector<uint32_t> ready; // groups whose predecessors are all taken
    CodeLines lines;             // of the segment
    double cost = 0, heat = 0;   // S and H of it
    uint64_t key = 0;            // hash of the set
  };
  struct Push {
    double score;
    double heat;
    size_t cut; // in cuts_
    uint32_t group;
    bool operator<(const Push& other) const;
  };

  double bound(double cost, double heat) const;
  double score(const Cut& cut, uint32_t group) const;
  double growth(const Cut& cut, uint32_t group) const;
  bool fits(const Cut& cut, uint32_t group) const;
  double densest_line(const llvm::BitVector& placed) const;
  void take(Cut& cut, uint32_t group) const;
  void absorb_free_groups(Cut& cut) const;
  Cut root(const llvm::BitVector& placed) const;
  Cut dive(Cut cut) const;
  void consider(const Cut& cut);
  void search_best_first(const Cut& from);
  double crossings(const Cut& cut) const;

  const Condensed& condensed_;
  Budget budget_;
  AdvanceBy advance_;
  std::vector<uint64_t> keys_; // a random number per group: a set's hash is their exclusive or
  double best_density_ = 0;    // rho_max of the groups not placed yet
  Cut best_;
  double best_crossings_ = 0;
  bool found_ = false;
};

} // namespace heddle

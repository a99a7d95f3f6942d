// Problem. Cuts interact: one makes another useless, or worth its crossings. The paper's search (search.cpp) fills one stage after the other
// and never asks what the cut costs; dropping its useless cuts afterwards finds a good choice, not the best.
//
// What helps. A legal cut is a set of groups that holds, with each of its groups, all that come before it in the condensed graph
// (condense.cpp), and a labelling is a chain of such sets. A stage is what one set of the chain has more than the last, and its price
// depends on these two sets alone: its lines, and the links that leave it. So the best labelling is a shortest path from the empty set
// to the whole, over sets in order of their size.
//
// Why not always. A chain of n groups has n + 1 sets, n parallel ones have 2^n, and the path takes the square of that: bodies of a few functions
// are done in milliseconds, those of real programs have thousands of groups.
#include "plan/exact.h"

#include "llvm/ADT/DenseSet.h"

#include <cmath>

namespace heddle {

namespace {

using Set = uint64_t; // of groups

constexpr size_t most_groups = 64;

Set bit(size_t group) {
  return Set(1) << group;
}

// All sets that hold what comes before their groups, smaller ones first; none if there are too many.
std::vector<Set> legal_cuts(const Condensed& condensed, size_t most) {
  std::vector<Set> before(condensed.groups.size());
  for (const CutLink& link : condensed.links)
    before[link.to] |= bit(link.from);
  std::vector<Set> cuts{0};
  llvm::DenseSet<Set> seen{0};
  for (size_t next = 0; next != cuts.size(); ++next)
    for (size_t group = 0; group != before.size(); ++group) {
      const Set cut = cuts[next], larger = cut | bit(group);
      if (larger == cut || (before[group] & ~cut) != 0 || !seen.insert(larger).second) continue;
      if (cuts.size() == most) return {};
      cuts.push_back(larger);
    }
  return cuts; // each was found from one with a group less
}

struct Step {
  double cycles = HUGE_VAL;
  unsigned stages = 0;
  size_t from = 0; // cut
};

} // namespace

std::optional<std::vector<unsigned>> cheapest_stages(const Condensed& condensed, StagePrice price,
                                                     double crossing_cycles, double cut_cycles,
                                                     size_t most_cuts) {
  const size_t count = condensed.groups.size();
  if (count == 0 || count >= most_groups) return std::nullopt;
  const std::vector<Set> cuts = legal_cuts(condensed, most_cuts);
  if (cuts.empty()) return std::nullopt;
  auto stage_cycles = [&](Set stage, Set until) {
    double crossings = 0;
    CodeLines lines(condensed.lines);
    for (size_t group = 0; group != count; ++group)
      if (stage & bit(group)) lines.add(condensed.groups[group].lines);
    for (const CutLink& link : condensed.links)
      if ((stage & bit(link.from)) && !(until & bit(link.to))) crossings += link.crossings;
    return price(lines) + crossings * crossing_cycles;
  };
  std::vector<Step> best(cuts.size());
  best[0] = {0, 0, 0};
  for (size_t to = 1; to != cuts.size(); ++to)
    for (size_t from = 0; from != to; ++from) {
      if ((cuts[from] & ~cuts[to]) != 0) continue;
      const double cycles =
          best[from].cycles + stage_cycles(cuts[to] & ~cuts[from], cuts[to]) + (from != 0 ? cut_cycles : 0);
      const unsigned stages = best[from].stages + 1;
      if (cycles < best[to].cycles || (cycles == best[to].cycles && stages < best[to].stages))
        best[to] = {cycles, stages, from};
    }
  std::vector<unsigned> result(count);
  for (size_t at = cuts.size() - 1; at != 0; at = best[at].from)
    for (size_t group = 0; group != count; ++group)
      if (cuts[at] & ~cuts[best[at].from] & bit(group)) result[group] = best[at].stages - 1;
  return result;
}

} // namespace heddle

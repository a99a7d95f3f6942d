// The optimistic-bound search (NanoPL section 5.2).
//
// Problem. Out of all legal cuts ahead of the head, find the one whose segment (what lies between head and
// cut) covers the most heat H within the budget of instruction-cache lines. This is a knapsack with
// precedence, so exact search is out of the question for bodies of thousands of groups.
//
// Alternatives. Taking the hottest next block is fast and short-sighted: it fills the segment with warm code
// before a hot block that lies one step further (the paper's figure 5b; policy "greedy-heat" here, for
// comparison). Fitting all possible paths (policy "conservative") cuts far too often.
//
// Choice, the paper's. Every cut F has the optimistic bound
//     UB(F) = H(F) + max(0, Bud - S(F)) * rho_max,   rho_max = max over blocks of h(B) / s(B):
// what is covered already, with the rest of the budget filled by the densest code there is. No completion
// of F can do better, so the bound is safe for ranking. A push moves the cut past one edge, here: takes one
// group all of whose predecessors are taken, since the condensation (condense.cpp) has merged everything
// that a legal cut cannot divide. The cut with the best bound is always advanced first; it is a candidate
// when it is nearly full, when its bound barely exceeds its benefit, or when no push fits any more. The
// candidate with the highest benefit wins, fewer crossings deciding between equals. Then the head moves to
// that cut.
//
// What the paper leaves open:
// - The number of cuts explodes with parallel branches. A dive (always the best child) gives a candidate; a
//   best-first search with a set of visited cuts then improves on it and drops every cut whose bound is not
//   above the best benefit so far; it stops after Budget::expansions cuts. On 30 random bodies of 200 nodes
//   and a budget of 60 lines, 4,000 cuts per stage instead of the dive alone changed the number of stages of
//   one body: the bound's ranking carries the search, and a small limit is enough.
// - Code that the sample never ran has neither cost nor heat, and code whose lines the segment has already
//   costs nothing more. Both are taken as soon as they can be, without any push of their own, so that they
//   neither block a merge point nor multiply the cuts; settle_stages() finds cold code a better stage afterwards.
// - Groups share lines, so S is that of the segment's lines, each counted once, and rho_max is that of the densest
//   line with all groups that share it. The bound leaves out what groups that cannot be taken yet will have for
//   free by then.
// - A group larger than the budget (a large window) becomes a stage by itself: nothing can make it fit, and
//   whatever would be added to it would be evicted by it.

#include "plan/search.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <queue>
#include <random>

namespace heddle {

namespace {

constexpr double nearly_full = 0.95;    // of the budget: not worth advancing further
constexpr double barely_exceeds = 1.01; // bound over benefit
constexpr double rounding = 1e-9;

} // namespace

bool SegmentSearch::Push::operator<(const Push& other) const {
  if (score != other.score) return score < other.score;
  if (heat != other.heat) return heat < other.heat;
  return group > other.group;
}

SegmentSearch::SegmentSearch(const Condensed& condensed, const Budget& budget, AdvanceBy advance)
    : condensed_(condensed), budget_(budget), advance_(advance), keys_(condensed.groups.size()) {
  std::mt19937_64 random(1); // fixed: the same input gives the same plan
  std::generate(keys_.begin(), keys_.end(), random);
}

double SegmentSearch::bound(double cost, double heat) const {
  return heat + std::max(0.0, budget_.lines - cost) * best_density_;
}

double SegmentSearch::score(const Cut& cut, uint32_t group) const {
  const double heat = condensed_.groups[group].heat;
  return advance_ == AdvanceBy::Heat ? heat : bound(cut.cost + growth(cut, group), cut.heat + heat);
}

double SegmentSearch::growth(const Cut& cut, uint32_t group) const {
  return cut.lines.growth(condensed_.groups[group].lines, condensed_.weights);
}

bool SegmentSearch::fits(const Cut& cut, uint32_t group) const {
  return cut.cost + growth(cut, group) <= budget_.lines * (1 + rounding);
}

void SegmentSearch::take(Cut& cut, uint32_t group) const {
  const CutGroup& g = condensed_.groups[group];
  cut.taken.set(group);
  cut.ready.erase(std::remove(cut.ready.begin(), cut.ready.end(), group), cut.ready.end());
  cut.cost += growth(cut, group);
  cut.lines.add(g.lines);
  cut.heat += g.heat;
  cut.key ^= keys_[group];
  for (uint32_t out : g.out) {
    uint32_t to = condensed_.links[out].to;
    bool ready = llvm::all_of(condensed_.groups[to].in,
                              [&](uint32_t in) { return cut.taken.test(condensed_.links[in].from); });
    if (ready) cut.ready.push_back(to);
  }
}

void SegmentSearch::absorb_free_groups(Cut& cut) const {
  for (;;) {
    auto free = llvm::find_if(cut.ready, [&](uint32_t group) { return growth(cut, group) == 0; });
    if (free == cut.ready.end()) return;
    take(cut, *free);
  }
}

SegmentSearch::Cut SegmentSearch::root(const llvm::BitVector& placed) const {
  Cut cut;
  cut.taken = placed;
  cut.lines = CodeLines(condensed_.lines);
  for (uint32_t g = 0; g != condensed_.groups.size(); ++g) {
    auto is_placed = [&](uint32_t in) { return placed.test(condensed_.links[in].from); };
    if (!placed.test(g) && llvm::all_of(condensed_.groups[g].in, is_placed)) cut.ready.push_back(g);
  }
  absorb_free_groups(cut);
  return cut;
}

SegmentSearch::Cut SegmentSearch::dive(Cut cut) const {
  for (;;) {
    const uint32_t* best = nullptr;
    for (const uint32_t& group : cut.ready)
      if (fits(cut, group) && (!best || Push{score(cut, *best), condensed_.groups[*best].heat, 0, *best} <
                                            Push{score(cut, group), condensed_.groups[group].heat, 0, group}))
        best = &group;
    if (!best) return cut;
    take(cut, *best);
    absorb_free_groups(cut);
  }
}

double SegmentSearch::crossings(const Cut& cut) const {
  double sum = 0;
  for (const CutLink& link : condensed_.links)
    if (cut.taken.test(link.from) && !cut.taken.test(link.to)) sum += link.crossings;
  return sum;
}

void SegmentSearch::consider(const Cut& cut) {
  if (found_ && cut.heat < best_.heat - rounding) return;
  double cut_crossings = crossings(cut);
  bool better = !found_ || cut.heat > best_.heat + rounding || cut_crossings < best_crossings_;
  if (!better) return;
  found_ = true;
  best_ = cut;
  best_crossings_ = cut_crossings;
}

void SegmentSearch::search_best_first(const Cut& from) {
  std::vector<Cut> cuts;
  std::priority_queue<Push> queue;
  llvm::DenseSet<uint64_t> visited;
  auto expand = [&](Cut cut) {
    bool pushed = false;
    for (uint32_t group : cut.ready) {
      if (!fits(cut, group)) continue;
      pushed = true;
      double heat = cut.heat + condensed_.groups[group].heat;
      double bound = score(cut, group);
      if (bound > best_.heat + rounding) queue.push({bound, heat, cuts.size(), group});
    }
    if (!pushed || cut.cost >= nearly_full * budget_.lines ||
        bound(cut.cost, cut.heat) <= barely_exceeds * cut.heat)
      consider(cut);
    cuts.push_back(std::move(cut));
  };
  expand(from);
  while (!queue.empty() && cuts.size() < budget_.expansions) {
    Push push = queue.top();
    queue.pop();
    if (push.score <= best_.heat + rounding) return; // nothing left can be better
    if (!visited.insert(cuts[push.cut].key ^ keys_[push.group]).second) continue;
    Cut cut = cuts[push.cut];
    take(cut, push.group);
    absorb_free_groups(cut);
    expand(std::move(cut));
  }
}

// Each group's heat lies in its lines alike, and a line has that of all groups that share it.
double SegmentSearch::densest_line(const llvm::BitVector& placed) const {
  std::vector<double> density(condensed_.lines);
  for (uint32_t g = 0; g != condensed_.groups.size(); ++g)
    if (const CutGroup& group = condensed_.groups[g]; !placed.test(g) && group.cost > 0)
      for (const LineUse& use : group.lines)
        density[use.line] += group.heat / group.cost;
  return density.empty() ? 0 : *llvm::max_element(density);
}

llvm::BitVector SegmentSearch::next_segment(const llvm::BitVector& placed) {
  best_density_ = densest_line(placed);
  found_ = false;

  Cut start = root(placed);
  bool any_fits = llvm::any_of(start.ready, [&](uint32_t group) { return fits(start, group); });
  if (!any_fits && !start.ready.empty()) {
    auto hottest = llvm::max_element(start.ready, [&](uint32_t a, uint32_t b) {
      return condensed_.groups[a].heat < condensed_.groups[b].heat;
    });
    take(start, *hottest);
    absorb_free_groups(start);
    consider(start);
  } else {
    consider(dive(start));
    if (advance_ == AdvanceBy::OptimisticBound) search_best_first(start);
  }
  llvm::BitVector segment = best_.taken;
  segment.reset(placed);
  return segment;
}

} // namespace heddle

// The policies. Each returns a monotone labelling of the condensed body, which is legal by construction
// (condense.cpp); they differ in where they cut only. The paper's search is in search.cpp.
//
// "conservative" is the comparison of NanoPL section 7.3: however a packet goes, what it may run between two
// cuts fits the budget. One pass in topological order: a group joins the latest stage among its predecessors
// and extends the longest path inside that stage; when the path would exceed the budget, the group opens the
// next stage. Paths are measured in all the code's lines, run or not, and a group counts whole, since it may
// be a loop. Each group gets the earliest stage possible, so no policy with this guarantee needs fewer cuts.

#include "plan/policy.h"

#include "plan/search.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace heddle {

unsigned renumber_stages(std::vector<unsigned>& stages) {
  std::map<unsigned, unsigned> number;
  for (unsigned stage : stages)
    number[stage] = 0;
  unsigned next = 0;
  for (auto& [stage, fresh] : number)
    fresh = next++;
  for (unsigned& stage : stages)
    stage = number[stage];
  return next;
}

namespace {

// What it costs to give `group` the stage `stage`: crossings first, places for sites second.
double label_cost(const Condensed& condensed, const std::vector<unsigned>& stages, uint32_t group,
                  unsigned stage) {
  constexpr double per_site = 1e-6; // small against any crossing that the sample could see
  double cost = 0;
  for (uint32_t in : condensed.groups[group].in)
    if (const CutLink& link = condensed.links[in]; stages[link.from] < stage)
      cost += link.crossings + per_site * link.edges;
  for (uint32_t out : condensed.groups[group].out)
    if (const CutLink& link = condensed.links[out]; stage < stages[link.to])
      cost += link.crossings + per_site * link.edges;
  return cost;
}

// The lines of each stage of a labelling.
class StageLines {
public:
  StageLines(const Condensed& condensed, const std::vector<unsigned>& stages)
      : condensed_(condensed), groups_(1 + *std::max_element(stages.begin(), stages.end())),
        lines_(condensed.lines_by_stage(stages)) {
    for (uint32_t g = 0; g != stages.size(); ++g)
      groups_[stages[g]].push_back(g);
    for (const CodeLines& lines : lines_)
      costs_.push_back(lines.of_batch(condensed.weights));
  }

  unsigned last() const { return unsigned(groups_.size()) - 1; }

  bool fits(uint32_t group, unsigned stage, const Budget& budget) const {
    const double growth = lines_[stage].growth(condensed_.groups[group].lines, condensed_.weights);
    return growth == 0 || costs_[stage] + growth <= budget.lines;
  }

  void move(uint32_t group, unsigned from, unsigned to) {
    llvm::erase(groups_[from], group);
    groups_[to].push_back(group);
    if (condensed_.groups[group].lines.empty()) return;
    for (unsigned stage : {from, to}) {
      lines_[stage] = condensed_.lines_of(groups_[stage]);
      costs_[stage] = lines_[stage].of_batch(condensed_.weights);
    }
  }

private:
  const Condensed& condensed_;
  std::vector<std::vector<uint32_t>> groups_;
  std::vector<CodeLines> lines_;
  std::vector<double> costs_;
};

bool settle_group(const Condensed& condensed, const Budget& budget, uint32_t g, StageLines& lines,
                  std::vector<unsigned>& stages) {
  const CutGroup& group = condensed.groups[g];
  unsigned low = 0, high = lines.last();
  for (uint32_t in : group.in)
    low = std::max(low, stages[condensed.links[in].from]);
  for (uint32_t out : group.out)
    high = std::min(high, stages[condensed.links[out].to]);
  unsigned best = stages[g];
  double best_cost = label_cost(condensed, stages, g, best);
  for (unsigned stage = low; stage <= high; ++stage) {
    const double cost = label_cost(condensed, stages, g, stage);
    if (cost < best_cost - 1e-12 && lines.fits(g, stage, budget)) {
      best = stage;
      best_cost = cost;
    }
  }
  if (best == stages[g]) return false;
  lines.move(g, stages[g], best);
  stages[g] = best;
  return true;
}

class SearchPolicy : public CutPolicy {
public:
  explicit SearchPolicy(AdvanceBy advance) : advance_(advance) {}
  llvm::StringRef name() const override {
    return advance_ == AdvanceBy::Heat ? "greedy-heat" : "optimistic-bound";
  }
  std::vector<unsigned> stages(const Condensed& condensed, const Budget& budget) const override {
    std::vector<unsigned> stages(condensed.groups.size());
    SegmentSearch search(condensed, budget, advance_);
    llvm::BitVector placed(unsigned(condensed.groups.size()));
    for (unsigned stage = 0; !placed.all(); ++stage) {
      llvm::BitVector segment = search.next_segment(placed);
      for (unsigned group : segment.set_bits())
        stages[group] = stage;
      placed |= segment;
    }
    settle_stages(condensed, budget, stages);
    return stages;
  }

private:
  AdvanceBy advance_;
};

class ConservativePolicy : public CutPolicy {
public:
  llvm::StringRef name() const override { return "conservative"; }
  std::vector<unsigned> stages(const Condensed& condensed, const Budget& budget) const override {
    std::vector<unsigned> stages(condensed.groups.size());
    std::vector<double> path(condensed.groups.size()); // longest within its stage, up to the group's end
    for (uint32_t g = 0; g != stages.size(); ++g) {
      const CutGroup& group = condensed.groups[g];
      for (uint32_t in : group.in)
        stages[g] = std::max(stages[g], stages[condensed.links[in].from]);
      for (uint32_t in : group.in)
        if (uint32_t from = condensed.links[in].from; stages[from] == stages[g])
          path[g] = std::max(path[g], path[from]);
      if (path[g] > 0 && path[g] + group.static_lines > budget.lines) {
        ++stages[g];
        path[g] = 0;
      }
      path[g] += group.static_lines;
    }
    return stages;
  }
};

// Every cut there is: a stage per level of the condensed body. No aim but to test the transformation.
class FinestPolicy : public CutPolicy {
public:
  llvm::StringRef name() const override { return "finest"; }
  std::vector<unsigned> stages(const Condensed& condensed, const Budget&) const override {
    std::vector<unsigned> stages(condensed.groups.size());
    for (uint32_t g = 0; g != stages.size(); ++g)
      for (uint32_t in : condensed.groups[g].in)
        stages[g] = std::max(stages[g], stages[condensed.links[in].from] + 1);
    return stages;
  }
};

class NoPolicy : public CutPolicy {
public:
  llvm::StringRef name() const override { return "none"; }
  std::vector<unsigned> stages(const Condensed& condensed, const Budget&) const override {
    return std::vector<unsigned>(condensed.groups.size());
  }
};

} // namespace

void settle_stages(const Condensed& condensed, const Budget& budget, std::vector<unsigned>& stages) {
  if (stages.empty()) return;
  StageLines lines(condensed, stages);
  // Each move lowers the cost; a few rounds, backwards and forwards, let chains of cold code move as one.
  constexpr int rounds = 8;
  for (int round = 0; round != rounds; ++round) {
    bool moved = false;
    for (uint32_t g = uint32_t(stages.size()); g-- != 0;)
      moved |= settle_group(condensed, budget, g, lines, stages);
    for (uint32_t g = 0; g != stages.size(); ++g)
      moved |= settle_group(condensed, budget, g, lines, stages);
    if (!moved) break;
  }
  renumber_stages(stages);
}

llvm::Expected<std::unique_ptr<CutPolicy>> make_policy(llvm::StringRef name) {
  if (name == "optimistic-bound") return std::make_unique<SearchPolicy>(AdvanceBy::OptimisticBound);
  if (name == "greedy-heat") return std::make_unique<SearchPolicy>(AdvanceBy::Heat);
  if (name == "conservative") return std::make_unique<ConservativePolicy>();
  if (name == "finest") return std::make_unique<FinestPolicy>();
  if (name == "none") return std::make_unique<NoPolicy>();
  return diagnose("unknown policy '" + name + "'",
                  "use optimistic-bound, greedy-heat, conservative, finest or none");
}

} // namespace heddle

// The decision.
//
// The policy says where to cut; this file says whether. What code costs is in code_price.h; to it come the cycles of the crossings, with what
// a packet has to fetch again of its data when others have run meanwhile. Where the budget of a stage is not given, the policy is asked for
// several, and the cheapest of what comes out is taken.
//
// A host that was not calibrated has the price of the machine of docs/model.md. Under a budget that was given, without a calibrated host, it is
// twelve cycles for each line of a stage that exceeds the budget, the latency of the second level of cache: as in the paper, a bound, which
// counts nothing as overlapped. That decides then; what is predicted is as ever.
//
// Small bodies get the cheapest labelling there is (exact.cpp). Of others, cuts of the policy are dropped, the least useful one first, while merging two neighbours saves more crossings than it adds refills; if nothing is
// left, or the rest does not beat the original order, the body stays as it is. This is deliberately coarse: it is there to say no.

#include "plan/make_plan.h"

#include "plan/code_price.h"
#include "plan/exact.h"
#include "plan/hide.h"
#include "plan/keyed.h"
#include "plan/sites.h"
#include "plan/windows.h"
#include "support/progress.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

namespace heddle {

using llvm::Twine;

namespace {

// The price of a labelling, in cycles per packet.
class Pricing {
public:
  // `alone`: part of the packets that run alone. `by_budget`: lines cost what exceeds the budget, wherever they lie.
  Pricing(const Condensed& condensed, double alone, const PlanOptions& options, bool by_budget)
      : condensed_(condensed), alone_(alone), options_(options),
        code_(all_lines(condensed), condensed.witnesses, refill_of(options, by_budget),
              by_budget ? 0 : options.icache_sets) {}

  double cycles(const std::vector<unsigned>& stages) const { return cycles(stages, options_.batch); }

  // In batches of so many packets.
  double cycles(const std::vector<unsigned>& stages, unsigned batch) const {
    return code_cycles(stages, batch) + crossings(stages) * crossing_cycles(batch);
  }

  double code_cycles(llvm::ArrayRef<unsigned> stages, unsigned batch) const {
    const std::vector<CodeLines> lines = condensed_.lines_by_stage(stages);
    if (lines.size() < 2) return code_.of_whole();
    double staged = 0;
    for (const CodeLines& stage : lines)
      staged += code_.of_stage(stage, undivided(batch));
    return alone_ * code_.of_whole() + (1 - alone_) * staged;
  }

  double crossings(llvm::ArrayRef<unsigned> stages) const {
    double sum = 0;
    for (const CutLink& link : condensed_.links)
      if (stages[link.from] < stages[link.to]) sum += link.crossings;
    return (1 - alone_) * sum;
  }

  // Of a packet that has a stack of its own: the switch, and what others have evicted of its data.
  double crossing_cycles(unsigned batch) const {
    const SuspendedData& data = options_.suspended_data;
    double cycles = options_.crossing_cycles;
    if (data.sets != 0)
      cycles += data.used_again * chance_evicted(batch * data.held, data.sets, data.ways) *
                options_.memory.level2 / data.overlap;
    return cycles;
  }

  // The cheapest of all labellings, of bodies that are small enough to look at all; a cut has to save `min_gain`.
  std::optional<std::vector<unsigned>> cheapest(double min_gain) const {
    return cheapest_stages(
        condensed_, [&](const CodeLines& stage) { return code_.of_stage(stage, undivided(options_.batch)); },
        crossing_cycles(options_.batch), min_gain);
  }

private:
  // A packet that runs alone ends those before it, so batches are divided there. Mean of what is left.
  double undivided(unsigned batch) const {
    return alone_ > 0 ? (1 - std::pow(1 - alone_, batch)) / alone_ : batch;
  }

  static CodePrice::Refill refill_of(const PlanOptions& options, bool by_budget) {
    if (options.refill_cycles && !by_budget) return options.refill_cycles;
    return [fits = options.budget.lines](double lines) { return lines > fits ? second_level_cycles : 0; };
  }

  static CodeLines all_lines(const Condensed& condensed) {
    CodeLines all(condensed.lines);
    for (const CutGroup& group : condensed.groups)
      all.add(group.lines);
    return all;
  }

  const Condensed& condensed_;
  const double alone_;
  const PlanOptions& options_;
  const CodePrice code_;
};

std::vector<unsigned> without_cut(std::vector<unsigned> stages, unsigned cut) {
  for (unsigned& stage : stages)
    if (stage >= cut) --stage;
  return stages;
}

// Drops cuts that cost more than they save. Stages that end over the budget by it are priced as such.
void drop_useless_cuts(const Pricing& pricing, const KeyedGroups& keyed, double min_gain,
                       std::vector<unsigned>& stages) {
  for (;;) {
    unsigned last = *std::max_element(stages.begin(), stages.end());
    double now = pricing.cycles(stages), best_saving = -min_gain;
    unsigned best = 0;
    for (unsigned cut = 1; cut <= last; ++cut) {
      const std::vector<unsigned> rest = without_cut(stages, cut);
      const double saving = now - pricing.cycles(rest);
      if (saving < best_saving || !keyed.are_legal(rest)) continue;
      best_saving = saving;
      best = cut;
    }
    if (!best) return;
    stages = without_cut(std::move(stages), best);
  }
}

class BodyPlanner {
public:
  BodyPlanner(CutGraph graph, const PlanOptions& options, const CutPolicy& policy,
              llvm::ArrayRef<LoadCost> waits_elsewhere, double instructions_in_calls, Plan& plan)
      : graph_(with_usable_keys(std::move(graph))), options_(options), policy_(policy), plan_(plan),
        waits_elsewhere_(waits_elsewhere), instructions_in_calls_(instructions_in_calls),
        condensed_(condense(graph_, options.model, options.batch)),
        pricing_(condensed_, graph_.alone, options, false),
        deciding_(condensed_, graph_.alone, options, options.price_by_budget) {}

  BodyPlan run() {
    body_.body = graph_.body;
    body_.contexts = graph_.contexts;
    if (!graph_.nodes.empty()) {
      const CutNode& entry = graph_.nodes[graph_.entry];
      body_.source = entry.at.empty() ? entry.function : entry.function + " (" + entry.at + ")";
    }
    measure_windows(graph_, options_.model, options_.batch, body_);
    const std::vector<unsigned> one_stage(condensed_.groups.size());
    std::vector<unsigned> stages = decide();
    Hiding hiding;
    if (options_.hide && options_.policy != "none") hiding = choose_hiding(one_stage, stages);
    std::vector<unsigned> by_node = node_stages(condensed_, stages);
    body_.sites = sites_of(graph_, by_node);
    body_.gates = graph_.gates;
    body_.deferred = graph_.deferred;
    body_.scratch = graph_.scratch;
    body_.own_errno = graph_.own_errno;
    body_.stages = stages_table(graph_, condensed_, by_node);
    set_order(graph_, {by_node, by_node}, body_);
    if (!body_.sites.empty()) remark_oversized();
    hide(hiding);
    predict(hiding, one_stage, stages);
    return std::move(body_);
  }

private:
  static CutGraph with_usable_keys(CutGraph graph) {
    drop_hopeless_keys(graph);
    return graph;
  }

  // Per packet: instructions, waits for loads, code, and crossings, in batches of so many packets. One stage runs packet after packet, so that
  // its code comes back as soon whatever the batch.
  double cycles(const Hiding* hiding, llvm::ArrayRef<unsigned> stages, unsigned batch) const {
    return shares(hiding, stages, batch).total();
  }

  CycleShares shares(const Hiding* hiding, llvm::ArrayRef<unsigned> stages, unsigned batch) const {
    std::vector<LoadCost> loads;
    std::vector<Hidden> how;
    if (hiding) std::tie(loads, how) = std::tie(hiding->costs, hiding->how);
    const MemoryModel& model = options_.memory;
    const bool interleaved = hiding && !hiding->sites.empty();
    if (!interleaved) how.assign(loads.size(), {});
    llvm::append_range(loads, waits_elsewhere_);
    how.resize(loads.size());
    const double crossing = interleaved ? model.step_instructions / model.per_cycle + model.pass / batch
                                        : pricing_.crossing_cycles(batch);
    CycleShares result =
        predict_shares(body_.instructions + instructions_in_calls_, loads, how, batch, model);
    result.front_end += pricing_.code_cycles(stages, batch);
    result.switching += pricing_.crossings(stages) * crossing;
    return result;
  }

  Hiding plan_hiding_with(llvm::ArrayRef<unsigned> stages) const {
    const std::vector<unsigned> by_node = node_stages(condensed_, stages.vec());
    return plan_hiding(graph_, options_.openings.loads, body_.instructions + instructions_in_calls_,
                       options_.batch, by_node, options_.memory);
  }

  // Where both cuts and hidden loads pay by themselves, they may be in each other's way: each load that is hidden beside cuts divides stages. So
  // what is predicted to take the fewest cycles is done: both, or one of them alone.
  Hiding choose_hiding(const std::vector<unsigned>& one_stage, std::vector<unsigned>& stages) {
    Hiding both = plan_hiding_with(stages);
    const bool is_cut = stages != one_stage;
    if (!is_cut || both.sites.empty() || !options_.only_if_pays || options_.policy == "finest") return both;
    Hiding alone = plan_hiding_with(one_stage);
    const unsigned batch = options_.batch;
    const double with_both = cycles(&both, stages, batch), hidden = cycles(&alone, one_stage, batch);
    Hiding none = both;
    none.sites.clear();
    const double staged = cycles(&none, stages, batch);
    auto told = [&](const char* code, double fewest, const Twine& way, const char* other) {
      remark(code,
             llvm::formatv("{0} alone is predicted to take {1:f0} cycles per packet, with {2} {3:f0}",
                           way.str(), fewest, other, with_both)
                 .str(),
             "'heddle plan --sweep -- ARGS' measures all of them");
    };
    if (staged < with_both && staged <= hidden) {
      told("staged-not-hidden", staged, "staging", "hidden loads");
      none.loads.clear();
      return none;
    }
    if (hidden < with_both) {
      told("hidden-not-staged", hidden, "hiding loads", "cuts");
      stages = one_stage;
      body_.cycles_saved = 0;
      body_.least_batch = 0;
      return alone;
    }
    return both;
  }

  void predict(const Hiding& hiding, llvm::ArrayRef<unsigned> one_stage, llvm::ArrayRef<unsigned> stages) {
    if (body_.packets == 0) return;
    const Hiding* known = hiding.costs.empty() ? nullptr : &hiding;
    Hiding nothing = hiding;
    nothing.sites.clear();
    std::set<unsigned> batches{2, 4, 8, 16, 32, 64, options_.batch};
    double planned = 0;
    for (unsigned batch : llvm::reverse(batches)) {
      const double original = cycles(known ? &nothing : nullptr, one_stage, batch);
      const bool runs = !body_.sites.empty() && batch >= body_.least_batch;
      // Less code between two visits may seem to make a small batch cheaper than a large one.
      planned = std::max(planned, cycles(known, stages, batch));
      body_.predicted.push_back({batch, original, runs ? planned : original});
    }
    std::reverse(body_.predicted.begin(), body_.predicted.end());
    body_.cycles_before = shares(known ? &nothing : nullptr, one_stage, options_.batch);
    body_.cycles_after = body_.sites.empty() ? body_.cycles_before : shares(known, stages, options_.batch);
  }

  // Are there loads to hide? Where there are, packets wait at the cuts in the same way. Where there are none, cuts stay as they are.
  void hide(Hiding hiding) {
    if (hiding.sites.empty() && !body_.sites.empty()) {
      if (!hiding.loads.empty())
        remark("staged-not-hidden",
               "packets wait for " + Twine(hiding.loads.size()) +
                   " loads, none of which can be hidden and pays; the first: " + hiding.loads.front().reason,
               "see 'heddle plan --no-stage --print' for all of them");
      return;
    }
    for (const PlannedLoad& load : hiding.loads)
      if (!load.hidden)
        plan_.remarks.push_back({"load-not-hidden", load.at, "packets wait for this load: " + load.reason,
                                 "see 'heddle plan --explain' for what holds the code around it together"});
    for (const auto& [load, why] : hiding.apart)
      plan_.remarks.push_back(
          {"load-not-along", hiding.loads[load].at, "packets wait for this load by itself: " + why,
           "if the addresses of both do not depend on each other, compute them in front of the first"});
    body_.loads = std::move(hiding.loads);
    if (hiding.sites.empty()) return;
    body_.interleaved = true;
    body_.keys.clear(); // what is keyed has its window again
    body_.least_batch = hiding.least_batch;
    body_.sites = std::move(hiding.sites);
    body_.stages = stages_table(graph_, condensed_, hiding.stages);
    for (size_t s = 0; s != body_.stages.size(); ++s)
      body_.stages[s].ordered = hiding.ordered[s];
  }

  void remark(const char* code, const Twine& what, const Twine& hint) {
    plan_.remarks.push_back({code, body_.source, what.str(), hint.str()});
  }

  std::vector<unsigned> decide() {
    std::vector<unsigned> one_stage(condensed_.groups.size());
    if (!options_.stage || options_.policy == "none" || condensed_.groups.empty()) return one_stage;
    if (condensed_.groups.size() == 1) {
      remark_no_cut();
      return one_stage;
    }
    bool only_if_pays = options_.only_if_pays && options_.policy != "finest";
    if (only_if_pays && !worth_a_search()) return one_stage;
    const KeyedGroups keyed(graph_, condensed_);
    std::vector<unsigned> stages;
    for (const Budget& budget : budgets()) {
      std::vector<unsigned> tried = policy_.stages(condensed_, budget);
      keyed.separate(tried);
      if (only_if_pays) drop_useless_cuts(deciding_, keyed, options_.min_gain, tried);
      if (stages.empty() || deciding_.cycles(tried) < deciding_.cycles(stages)) stages = std::move(tried);
    }
    if (only_if_pays) {
      if (options_.policy == "optimistic-bound") take_cheapest(keyed, stages);
      if (deciding_.cycles(stages) + options_.min_gain >= deciding_.cycles(one_stage)) stages = one_stage;
    }
    body_.cycles_saved = pricing_.cycles(one_stage) - pricing_.cycles(stages);
    if (only_if_pays && stages != one_stage) body_.least_batch = least_batch(one_stage, stages);
    if (*std::max_element(stages.begin(), stages.end()) == 0)
      remark("one-stage", "cuts are legal, but no cut saves more than its crossings cost",
             "the largest windows decide where cuts can lie: see 'heddle plan --explain'");
    remark_coverage();
    return stages;
  }

  // A full cache has sets that are more than full, and a large next level of cache may have a price that crossings are not worth:
  // which footprint of a stage is best, only the price of all tells.
  std::vector<Budget> budgets() const {
    if (!options_.choose_budget || !options_.only_if_pays || options_.policy == "finest")
      return {options_.budget};
    std::vector<Budget> result;
    for (double part : {4.0, 2.0, 1.0, 0.75, 0.5, 0.375, 0.25})
      result.push_back({part * options_.budget.lines, options_.budget.expansions});
    return result;
  }

  // Of a small body, in place of what the search and the dropping of cuts came to.
  void take_cheapest(const KeyedGroups& keyed, std::vector<unsigned>& stages) const {
    auto cheapest = deciding_.cheapest(options_.min_gain);
    if (!cheapest) return;
    settle_stages(condensed_, options_.budget, *cheapest);
    if (keyed.are_legal(*cheapest) && deciding_.cycles(*cheapest) < deciding_.cycles(stages))
      stages = std::move(*cheapest);
  }

  // The fewest packets of a batch with which the cuts pay, as they do with all larger ones.
  unsigned least_batch(const std::vector<unsigned>& one_stage, const std::vector<unsigned>& stages) const {
    const double original = deciding_.cycles(one_stage) - options_.min_gain;
    unsigned batch = options_.batch;
    while (batch > 2 && deciding_.cycles(stages, batch - 1) < original)
      --batch;
    return batch;
  }

  bool worth_a_search() {
    if (body_.packets == 0) {
      remark("no-packets", "the profile has no packet of this body", "profile with traffic that reaches it");
      return false;
    }
    if (body_.footprint > options_.budget.lines) return true;
    remark("path-fits-cache",
           llvm::formatv("a batch touches {0:f0} instruction-cache lines, and the budget is {1:f0}",
                         body_.footprint, options_.budget.lines)
               .str(),
           "nothing to gain from the instruction cache; a smaller --budget forces cuts");
    return false;
  }

  void remark_no_cut() {
    CutGraph plain = graph_;
    plain.locations.clear();
    if (condense(plain).groups.size() > 1)
      remark("window-covers-body",
             "windows hold all of the body together; the largest is that of " + largest_window(),
             "see 'heddle plan --explain' for what would free them");
    else
      remark("no-legal-cut", "the body has no edge for a site outside of loops",
             "name a loop with more code in it: --body FUNCTION:loop");
  }

  // One group with most of the instructions leaves little to stage, even where cuts around it are legal.
  void remark_coverage() {
    auto hottest = llvm::max_element(condensed_.groups,
                                     [](const CutGroup& a, const CutGroup& b) { return a.heat < b.heat; });
    if (body_.windows.empty() || hottest->heat < 0.9 * body_.instructions || body_.instructions == 0) return;
    remark("window-covers-body",
           "windows hold " + Twine(int(100 * hottest->heat / body_.instructions)) +
               " % of a packet's instructions together; the largest is that of " + largest_window(),
           "see 'heddle plan --explain' for what would free them");
  }

  void remark_oversized() {
    for (size_t s = 0; s != body_.stages.size(); ++s)
      if (body_.stages[s].largest > options_.budget.lines)
        remark("window-over-budget",
               "stage " + Twine(s) + " has a window or a loop of " + Twine(int(body_.stages[s].largest)) +
                   " lines, which cannot be divided; the budget is " + Twine(int(options_.budget.lines)),
               "see 'heddle plan --explain' for what would free it");
  }

  std::string largest_window() const { return body_.windows.empty() ? "?" : body_.windows.front().name; }

  const CutGraph graph_;
  const PlanOptions& options_;
  const CutPolicy& policy_;
  Plan& plan_;
  const llvm::ArrayRef<LoadCost> waits_elsewhere_;
  const double instructions_in_calls_;
  const Condensed condensed_;
  const Pricing pricing_, deciding_; // the same, unless decisions go by the budget
  BodyPlan body_;
};

} // namespace

bool Plan::stages_anything() const {
  return llvm::any_of(bodies, [](const BodyPlan& body) { return !body.sites.empty(); });
}

bool Plan::needs_stacks() const {
  return llvm::any_of(bodies, [](const BodyPlan& body) { return !body.sites.empty() && !body.interleaved; });
}

llvm::Expected<Plan> make_plan(llvm::StringRef program_id, const std::vector<CutGraph>& graphs,
                               const PlanOptions& options) {
  auto policy = make_policy(options.policy);
  if (!policy) return policy.takeError();
  Plan plan;
  plan.program = program_id.str();
  plan.policy = options.policy;
  plan.footprint_model = options.model == FootprintModel::Batch ? "batch" : "per-visit";
  plan.budget = options.budget.lines;
  plan.icache_lines = options.icache_lines;
  plan.host = options.host;
  plan.rare_share = options.rare_share;
  plan.relaxations = options.relaxations;
  plan.trust = options.trust;
  plan.declarations = options.declarations;
  plan.openings = options.openings;
  PlanOptions chosen = options;
  if (chosen.batch == 0) chosen.batch = 32;
  progress_at("where to cut");
  for (size_t b = 0; b != graphs.size(); ++b) {
    llvm::ArrayRef<LoadCost> elsewhere;
    if (b < options.waits_elsewhere.size()) elsewhere = options.waits_elsewhere[b];
    const double in_calls = b < options.instructions_in_calls.size() ? options.instructions_in_calls[b] : 0;
    CutGraph graph = graphs[b];
    if (!options.fetch_along) graph.companions.clear();
    plan.bodies.push_back(BodyPlanner(std::move(graph), chosen, **policy, elsewhere, in_calls, plan).run());
  }
  const bool all_interleaved = plan.stages_anything() && !plan.needs_stacks();
  plan.batch = options.batch == 0 && all_interleaved ? 64 : chosen.batch;
  plan.checked = decisions_digest(plan);
  return plan;
}

} // namespace heddle

// From the profile to the plan. Where the share of rare code is to be found, all of several are planned: what rare code is decides what
// stands in the way of cuts.
#include "cli/planning.h"

#include "analysis/analyse.h"
#include "host/hosts.h"
#include "plan/expensive_loads.h"
#include "plan/host_model.h"
#include "plan/inferred.h"
#include "plan/make_plan.h"
#include "plan/observed_file.h"
#include "plan/openings.h"
#include "profile/icache.h"
#include "profile/weights.h"
#include "program/claims.h"
#include "program/program.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

namespace heddle {

namespace {

constexpr uint64_t line_bytes = 64;

// The first level of instruction or data cache that a plan is made for.
CacheGeometry level1_cache(const ChosenHost& chosen, llvm::StringRef type) {
  const uint64_t bytes = chosen.host ? chosen.host->cache_bytes(1, type) : 0;
  if (bytes) return {bytes, chosen.host->cache_ways(1, type), line_bytes};
  if (type == "Instruction") return host_icache();
  const DataCaches::Level level = host_dcaches().levels[0];
  return {level.bytes, unsigned(level.ways), line_bytes};
}

double icache_lines(const ChosenHost& chosen) {
  return double(level1_cache(chosen, "Instruction").bytes) / line_bytes;
}

// 0 where the ways are not known.
unsigned sets_of(const CacheGeometry& cache) {
  return cache.ways ? unsigned(cache.bytes / line_bytes / cache.ways) : 0;
}

// Of a host that was not calibrated, too.
void price_caches(const ChosenHost& chosen, PlanOptions& options) {
  const CacheGeometry data = level1_cache(chosen, "Data");
  options.icache_sets = sets_of(level1_cache(chosen, "Instruction"));
  options.suspended_data.sets = sets_of(data);
  options.suspended_data.ways = data.ways;
  options.price_by_budget = !options.refill_cycles && !options.choose_budget;
  if (!options.refill_cycles)
    options.refill_cycles = [fits = icache_lines(chosen)](double lines) {
      return builtin_refill_cycles(lines, fits);
    };
}

llvm::Expected<double> budget_lines(const std::string& text, const ChosenHost& chosen) {
  if (text.empty()) return icache_lines(chosen);
  llvm::StringRef number = text;
  unsigned scale = number.consume_back_insensitive("k") ? 1024 : 1;
  unsigned bytes = 0;
  if (number.getAsInteger(10, bytes) || bytes == 0)
    return diagnose("not a size: " + text, "give bytes or kibibytes, such as 24K", "--budget");
  return double(bytes) * scale / line_bytes;
}

llvm::Expected<Plan> plan_for(const Program& program, const Study& study, const Openings& openings,
                              const PlanningOptions& options, const ChosenHost& chosen,
                              const StudyOptions& studying,
                              const std::vector<std::vector<LoadCost>>& waits_elsewhere,
                              const std::vector<double>& instructions_in_calls) {
  auto budget = budget_lines(options.budget, chosen);
  if (!budget) return budget.takeError();
  PlanOptions plan_options;
  plan_options.host = chosen.name;
  if (chosen.host) price_for(*chosen.host, plan_options);
  plan_options.policy = options.policy;
  plan_options.budget.lines = *budget;
  plan_options.icache_lines = icache_lines(chosen);
  plan_options.choose_budget = options.budget.empty();
  price_caches(chosen, plan_options);
  plan_options.batch = options.batch;
  plan_options.stage = options.stage;
  plan_options.hide = options.hide;
  plan_options.fetch_along = options.fetch_along;
  plan_options.rare_share = studying.rare_share;
  plan_options.trust = options.trust;
  plan_options.declarations = options.declarations;
  for (llvm::StringRef name : relaxation_names())
    if (!llvm::is_contained(options.study.without, name)) plan_options.relaxations.push_back(name.str());
  plan_options.openings = openings;
  plan_options.waits_elsewhere = waits_elsewhere;
  plan_options.instructions_in_calls = instructions_in_calls;
  auto plan = make_plan(program.id, study.graphs, plan_options);
  if (!plan) return plan;
  for (size_t b = 0; b != plan->bodies.size(); ++b) {
    const PacketBody& body = program.bodies[b];
    plan->bodies[b].source = body.function + " (" + body.loop_at.str() + ")";
  }
  llvm::append_range(plan->remarks, program.remarks);
  llvm::append_range(plan->remarks, study.remarks);
  llvm::append_range(plan->remarks, chosen.remarks);
  return plan;
}

// A decision in the making: what does not depend on what is rare.
class Decider {
public:
  Decider(const ProgramImage& image, Program& program, Trace& trace, const PlanningOptions& options,
          ChosenHost chosen, StudyOptions studying)
      : image_(image), program_(program), trace_(trace), options_(options), chosen_(std::move(chosen)),
        studying_(std::move(studying)) {}

  llvm::Expected<Decision> decide() {
    const bool find = options_.rare == "auto";
    double share = 0;
    if (!find && !llvm::to_float(options_.rare, share))
      return diagnose("not a share: " + options_.rare, "give 0 to 1, or auto", "--rare");
    // What was not opened stays behind as rare code: without that, nothing would be gained.
    const bool may_be_rare = (find || share > 0) && !llvm::is_contained(options_.study.without, "rare-path");
    if (may_be_rare) openings_ = choose_openings(program_, trace_);
    constexpr double in_flight = 64;
    const MemoryModel memory = chosen_.host ? memory_model(*chosen_.host) : MemoryModel();
    if (options_.hide)
      openings_.loads =
          choose_expensive_loads(program_, trace_, options_.batch ? options_.batch : in_flight, memory);
    elsewhere_ = waits_elsewhere(program_, trace_, openings_.loads, memory);
    in_calls_ = instructions_in_calls(program_, trace_, memory);
    if (llvm::Error error = open_traced(program_, trace_, openings_)) return std::move(error);
    auto best = may_be_rare && find ? with_best_share() : with_share(share);
    return best ? with_keys(std::move(*best)) : std::move(best);
  }

private:
  llvm::Expected<Decision> with_share(double share) {
    studying_.rare_share = share;
    auto study = study_program(image_, program_, trace_, studying_);
    if (!study) return study.takeError();
    auto plan = plan_for(program_, *study, openings_, options_, chosen_, studying_, elsewhere_, in_calls_);
    if (!plan) return plan.takeError();
    return Decision{std::move(*study), std::move(*plan)};
  }

  // Rare code holds nothing together, and packets that meet it run alone. So a share may be too small, or too large: the cheapest of some.
  llvm::Expected<Decision> with_best_share() {
    auto footprint = map_footprint(image_, program_);
    if (!footprint) return footprint.takeError();
    const std::vector<BlockWeight> weights = weigh_blocks(trace_, *footprint);
    std::set<uint64_t> tried;
    double best = 0, least = HUGE_VAL;
    for (double share : {0.0, 0.005, 0.02, 0.05, 0.1}) {
      if (!tried.insert(share == 0 ? 0 : rare_below(trace_, weights, share)).second) continue;
      auto decision = with_share(share);
      if (!decision) return decision;
      if (const double cycles = cycles_of(decision->plan); cycles < least) {
        best = share;
        least = cycles;
      }
    }
    return with_share(best); // again: several would not fit into memory at a time
  }

  // Of all packets of the sample, predicted.
  static double cycles_of(const Plan& plan) {
    double cycles = 0;
    for (const BodyPlan& body : plan.bodies)
      cycles += double(body.packets) * body.cycles_after.total();
    return cycles;
  }

  llvm::Expected<Decision> with_keys(Decision decision) {
    Openings keys;
    keys.claims = choose_claims(decision.study.graphs, decision.plan, next_claim_number(*program_.module));
    if (keys.claims.empty()) return std::move(decision);
    if (llvm::Error error = open_traced(program_, trace_, keys)) return std::move(error);
    openings_.claims = keys.claims;
    studying_.first_inferred_key = keys.claims.front().key;
    return with_share(decision.plan.rare_share);
  }

  const ProgramImage& image_;
  Program& program_;
  Trace& trace_;
  const PlanningOptions& options_;
  const ChosenHost chosen_;
  StudyOptions studying_;
  Openings openings_;
  std::vector<std::vector<LoadCost>> elsewhere_;
  std::vector<double> in_calls_;
};

} // namespace

llvm::Expected<Decision> decide(const ProgramImage& image, Program& program, Trace& trace,
                                const PlanningOptions& options) {
  StudyOptions studying = options.study;
  if (options.trust == "observed") studying.observed.emplace();
  if (!options.observed.empty() && !studying.observed)
    return diagnose("without --trust observed, nothing is believed because it was observed",
                    "leave it out, or add --trust observed", "--observed");
  for (const std::string& file : options.observed) {
    auto observed = read_observed(file);
    if (!observed) return observed.takeError();
    llvm::append_range(*studying.observed, *observed);
  }
  auto chosen = choose_host(options.host);
  if (!chosen) return chosen.takeError();
  return Decider(image, program, trace, options, std::move(*chosen), std::move(studying)).decide();
}

} // namespace heddle

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
#include "program/claims.h"
#include "program/program.h"

namespace heddle {

void PlanningOptions::add_to(CLI::App& app) {
  app.add_option("--policy", policy, "how cuts are chosen")
      ->check(CLI::IsMember({"optimistic-bound", "conservative", "greedy-heat", "finest", "none"}))
      ->capture_default_str();
  app.add_option("--budget", budget,
                 "instruction cache that a stage may take, e.g. 24K (default: the model chooses)");
  app.add_option("--host", host,
                 "the host to plan for: a file of `heddle calibrate`, or a stored host's name (default: this "
                 "machine)");
  app.add_option("--batch", batch,
                 "most packets in flight (default: 32; 64 where all bodies are interleaved)")
      ->check(CLI::Range(2, 4096));
  app.add_flag("!--no-stage", stage,
               "make no cuts for the instruction cache's sake; what is left is to hide loads");
  app.add_flag("!--no-hide", hide, "leave packets waiting for expensive loads");
  app.add_flag(
      "!--no-fetch-along", fetch_along,
      "let packets step aside for each load by itself, also where the addresses of several are known");
  app.add_option(
         "--rare", study.rare_share,
         "the share of the packets that may meet rare code, which a packet runs alone (0: no code is rare)")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--trust", trust,
                 "proven: use no [[commute]], [[declared]], [[scratch]], [[keyed]] and [[output]]; declared: "
                 "use them "
                 "(default where there are any); observed: only what --observed shows, for study, never for "
                 "production")
      ->check(CLI::IsMember({"proven", "declared", "observed"}));
  app.add_option("--observed", observed,
                 "of --trust observed: what `heddle verify --dependencies --json` saw of an earlier plan")
      ->allow_extra_args(false);
  app.add_option("--without", study.without,
                 "switch a relaxation off: read-only, packet-private, allocator, commutative, "
                 "commuting, declared, keyed, scratch, errno, lock, deferred-output, received-ahead, time, "
                 "abnormal-exit, rare-path")
      ->delimiter(',')
      ->allow_extra_args(false);
}

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

unsigned sets_of(const CacheGeometry& cache) {
  return unsigned(cache.bytes / line_bytes / cache.ways);
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
  return double(bytes) * scale / 64;
}

} // namespace

void PlanningOptions::declare(const Declarations& all) {
  if (trust.empty()) trust = all.file.empty() && all.all.empty() ? "proven" : "declared";
  declarations = all;
  study.declarations = all.trusted(trust);
}

static llvm::Expected<Plan> plan_for(const Program& program, const Study& study, const Openings& openings,
                                     const PlanningOptions& options, const ChosenHost& chosen,
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
  plan_options.rare_share = options.study.rare_share;
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
  Openings openings;
  // What was not opened stays behind as rare code: without that, nothing would be gained.
  bool rare = options.study.rare_share > 0 && !llvm::is_contained(options.study.without, "rare-path");
  if (rare) openings = choose_openings(program, trace);
  constexpr double in_flight = 64;
  const MemoryModel memory = chosen->host ? memory_model(*chosen->host) : MemoryModel();
  if (options.hide)
    openings.loads =
        choose_expensive_loads(program, trace, options.batch ? options.batch : in_flight, memory);
  const auto elsewhere = waits_elsewhere(program, trace, openings.loads, memory);
  const std::vector<double> in_calls = instructions_in_calls(program, trace, memory);
  if (llvm::Error error = open_traced(program, trace, openings)) return std::move(error);
  auto study = study_program(image, program, trace, studying);
  if (!study) return study.takeError();
  auto plan = plan_for(program, *study, openings, options, *chosen, elsewhere, in_calls);
  if (!plan) return plan.takeError();
  Openings keys;
  keys.claims = choose_claims(study->graphs, *plan, next_claim_number(*program.module));
  if (!keys.claims.empty()) {
    if (llvm::Error error = open_traced(program, trace, keys)) return std::move(error);
    openings.claims = keys.claims;
    studying.first_inferred_key = keys.claims.front().key;
    study = study_program(image, program, trace, studying);
    if (!study) return study.takeError();
    plan = plan_for(program, *study, openings, options, *chosen, elsewhere, in_calls);
    if (!plan) return plan.takeError();
  }
  return Decision{std::move(*study), std::move(*plan)};
}

} // namespace heddle

// What there is to choose. A plan may cut for the instruction cache, hide loads, do both or neither; cuts depend on the budget of a stage; and any
// plan is run with some number of packets in flight, which of an interleaved body is its number of frames. Budgets are tried from half of
// the level-1 instruction cache to eight times its size (or the one that is given), batches of 8, 16, 32 and 64, up to what the sample's packets
// were received in. Many of these come out as the same
// plan, which is built and run once. A program without any cut or hidden load is built once, too: what whole-program optimisation changes by itself.
#include "cli/sweep.h"

#include "profile/icache.h"
#include "program/claims.h"
#include "support/diagnostic.h"
#include "support/file.h"
#include "transform/build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

namespace heddle {

namespace {

constexpr unsigned batches[] = {8, 16, 32, 64};

struct Kind {
  const char* name;
  bool stage, hide;
};
constexpr Kind kinds[] = {
    {"neither", false, false}, {"hidden", false, true}, {"staged", true, false}, {"both", true, true}};

struct Built {
  Plan plan;
  std::string file;
  const Kind* kind;
  std::string budget;
  std::map<unsigned, double> predicted; // gain, by batch
};

std::vector<std::string> budgets(const PlanningOptions& planning) {
  if (!planning.budget.empty()) return {planning.budget};
  const uint64_t cache = host_icache().bytes / 1024;
  std::vector<std::string> sizes{""}; // as the models choose
  for (uint64_t kib : {cache / 2, cache, 2 * cache, 4 * cache})
    sizes.push_back(std::to_string(kib) + "K");
  return sizes;
}

bool hides_anything(const Plan& plan) {
  return llvm::any_of(plan.bodies, [](const BodyPlan& body) {
    return llvm::any_of(body.loads, [](const PlannedLoad& load) { return load.hidden; });
  });
}

// Of plans that come out the same one is enough.
std::string identity(const Plan& plan) {
  if (!plan.stages_anything()) return "";
  std::string text = decisions_digest(plan);
  for (const BodyPlan& body : plan.bodies)
    for (const PlannedLoad& load : body.loads)
      if (load.hidden)
        text += llvm::formatv(" {0}.{1}.{2}.{3}.{4}", load.context, load.block, load.into, load.lanes,
                              load.with.size())
                    .str();
  return text;
}

// How many packets of each body were received in batches of which size.
using Received = std::map<uint32_t, std::map<unsigned, uint64_t>>;

Received received_in(const Trace& trace) {
  std::map<std::pair<uint32_t, uint32_t>, unsigned> batches;
  for (const TracedPacket& packet : trace.packets)
    ++batches[{packet.body, packet.batch}];
  Received received;
  for (const auto& [batch, packets] : batches)
    received[batch.first][packets] += packets;
  return received;
}

// Those that make a difference: with more in flight than the program ever receives at once all is as with that many.
llvm::ArrayRef<unsigned> batches_to_try(const Received& received) {
  unsigned largest = 0;
  for (const auto& [body, sizes] : received)
    if (!sizes.empty()) largest = std::max(largest, sizes.rbegin()->first);
  llvm::ArrayRef<unsigned> tried(batches);
  while (tried.size() > 1 && tried[tried.size() - 2] >= largest)
    tried = tried.drop_back();
  return tried;
}

// In batches of the largest size that is known and no larger.
const PredictedCycles& at_batch(const BodyPlan& body, unsigned packets) {
  const PredictedCycles* found = &body.predicted.front();
  for (const PredictedCycles& row : body.predicted)
    if (row.batch <= packets) found = &row;
  return *found;
}

// All bodies together, with the batches of the sample, of which at most so many packets are in flight.
double predicted_gain(const Plan& plan, const Program& program, const Received& received, unsigned batch) {
  double original = 0, planned = 0;
  for (size_t b = 0; b != plan.bodies.size(); ++b) {
    const auto sizes = received.find(program.bodies[b].number);
    if (plan.bodies[b].predicted.empty() || sizes == received.end()) continue;
    for (const auto& [size, packets] : sizes->second) {
      const PredictedCycles& cycles = at_batch(plan.bodies[b], std::min(size, batch));
      original += double(packets) * cycles.original;
      planned +=
          double(packets) * (size == 1 ? cycles.original : cycles.planned); // one by itself is never staged
    }
  }
  return planned > 0 ? original / planned : 1;
}

SweptPlan describe(const Built& built, unsigned batch) {
  SweptPlan swept{built.kind->name, built.budget, batch, 1, 0, 1, {}};
  for (const BodyPlan& body : built.plan.bodies) {
    if (!body.sites.empty()) swept.stages = std::max(swept.stages, unsigned(body.stages.size()));
    swept.hidden_loads +=
        unsigned(llvm::count_if(body.loads, [](const PlannedLoad& load) { return load.hidden; }));
  }
  if (batch != 0) swept.predicted = built.predicted.at(batch);
  return swept;
}

class Sweeper {
public:
  Sweeper(const Workspace& workspace, std::string profile, PlanningOptions planning)
      : workspace_(workspace), profile_(std::move(profile)), planning_(std::move(planning)) {}

  llvm::Error build_all(const TemporaryFolder& folder) {
    const std::vector<std::string> sizes = budgets(planning_);
    double done = 0;
    for (const Kind& kind : kinds)
      for (const std::string& budget : kind.stage ? sizes : std::vector<std::string>{""}) {
        progress_at(
            {llvm::formatv("plan: {0} {1}", kind.name, budget).str(), done++, 2 + 2 * double(sizes.size())});
        if (llvm::Error error = build(kind, budget, folder)) return error;
      }
    return llvm::Error::success();
  }

  const std::vector<Built>& built() const { return built_; }

private:
  llvm::Error build(const Kind& kind, const std::string& budget, const TemporaryFolder& folder) {
    // Planning opens calls and loops in both.
    auto program = workspace_.prepared();
    if (!program) return program.takeError();
    auto trace = read_trace(profile_, program->id);
    if (!trace) return trace.takeError();
    const Received received = received_in(*trace);
    PlanningOptions planning = planning_;
    std::tie(planning.stage, planning.hide, planning.budget) = std::tuple(kind.stage, kind.hide, budget);
    planning.declare(with_annotations(workspace_.declarations(), *program->module));
    auto decided = decide(workspace_.image(), *program, *trace, planning);
    if (!decided) return decided.takeError();
    // Where there is nothing to hide, the kind without hiding is the same.
    if ((kind.hide && !hides_anything(decided->plan)) || !seen_.insert(identity(decided->plan)).second)
      return llvm::Error::success();
    const std::string file = folder.file("plan-" + std::to_string(built_.size()));
    if (llvm::Error error = build_program(workspace_.image(), *program, decided->plan, file)) return error;
    Built& built = built_.emplace_back(Built{std::move(decided->plan), file, &kind, budget, {}});
    for (unsigned batch : batches_to_try(received))
      built.predicted[batch] = predicted_gain(built.plan, *program, received, batch);
    return llvm::Error::success();
  }

  const Workspace& workspace_;
  const std::string profile_;
  const PlanningOptions planning_;
  std::set<std::string> seen_;
  std::vector<Built> built_;
};

// Round by round, above 1: better than the original.
Interval ratio_of(const BenchedVariant& original, const BenchedVariant& plan, const Metric& metric) {
  const bool higher = metric.kind == Metric::Output && metric.higher_is_better;
  std::vector<double> ratios;
  for (size_t round = 0; round != plan.samples.size(); ++round)
    ratios.push_back(higher ? plan.samples[round] / original.samples[round]
                            : original.samples[round] / plan.samples[round]);
  return median_interval(std::move(ratios));
}

// `variants`: an original before each plan. What is measured is compared as it is measured: small batches run packet by packet, for one.
llvm::Expected<VerifyResult> compare_outputs(llvm::ArrayRef<Variant> variants,
                                             const RunningOptions& running) {
  auto options = verify_options(running);
  if (!options) return options.takeError();
  std::vector<Variant> compared{variants.front()};
  for (size_t i = 1; i < variants.size(); i += 2)
    compared.push_back(variants[i]);
  auto result = verify_outputs(compared, *options);
  if (!result || result->verdict != Verdict::Different) return result;
  print_verify(*result, llvm::errs());
  return diagnose("a plan's output differs from the original's",
                  "do not use that plan; please report it with this difference", result->difference->variant);
}

std::string name_of(const SweptPlan& plan) {
  std::string name = plan.kind + (plan.budget.empty() ? "" : " " + plan.budget);
  return plan.batch == 0 ? name : name + ", batch " + std::to_string(plan.batch);
}

} // namespace

llvm::Expected<Sweep> sweep_plans(const Workspace& workspace, const std::string& profile,
                                  const PlanningOptions& planning, const std::string& program,
                                  const RunningOptions& running) {
  auto folder = TemporaryFolder::create("heddle-sweep");
  if (!folder) return folder.takeError();
  Sweeper sweeper(workspace, profile, planning);
  if (llvm::Error error = sweeper.build_all(*folder)) return std::move(error);

  Sweep sweep;
  auto original = original_variant(program);
  if (!original) return original.takeError();
  // The machine changes while so many programs run: each is preceded by an original of its own.
  std::vector<Variant> variants;
  for (const Built& built : sweeper.built()) {
    std::vector<unsigned> tried{0};
    if (built.plan.stages_anything()) {
      const auto sizes = llvm::make_first_range(built.predicted);
      tried.assign(sizes.begin(), sizes.end());
    }
    for (unsigned batch : tried) {
      sweep.plans.push_back(describe(built, batch));
      Variant variant{name_of(sweep.plans.back()), built.file, {}};
      if (batch != 0) variant.environment = {{"HEDDLE_BATCH", std::to_string(batch)}};
      variants.push_back(*original);
      variants.push_back(std::move(variant));
    }
  }
  auto options = bench_options(running);
  if (!options) return options.takeError();
  options->use_counters = false;
  auto outputs = compare_outputs(variants, running);
  if (!outputs) return outputs.takeError();
  sweep.outputs = std::move(*outputs);
  auto benched = bench(variants, *options);
  if (!benched) return benched.takeError();
  sweep.bench = std::move(*benched);
  for (size_t i = 0; i != sweep.plans.size(); ++i) {
    sweep.plans[i].measured =
        ratio_of(sweep.bench.variants[2 * i], sweep.bench.variants[2 * i + 1], sweep.bench.metric);
    if (sweep.plans[i].predicted > sweep.plans[sweep.chosen].predicted) sweep.chosen = i;
    if (sweep.plans[i].measured.median > sweep.plans[sweep.best].measured.median) sweep.best = i;
  }
  return sweep;
}

void print_sweep(const Sweep& sweep, llvm::raw_ostream& out) {
  out << sweep.bench.machine.str() << '\n'
      << llvm::formatv("{0} rounds in turn on CPU {1}; {2}; gains are times the original\n",
                       sweep.bench.rounds, sweep.bench.cpu, sweep.bench.metric.unit())
      << llvm::formatv("{0,-26} {1,7} {2,7} {3,10} {4,10}\n", "plan", "stages", "hidden", "predicted",
                       "measured");
  for (size_t i = 0; i != sweep.plans.size(); ++i) {
    const SweptPlan& plan = sweep.plans[i];
    out << llvm::formatv("{0,-26} {1,7} {2,7} {3,10:f3} {4,10:f3}  [{5:f3}, {6:f3}]{7}{8}\n", name_of(plan),
                         plan.stages, plan.hidden_loads, plan.predicted, plan.measured.median,
                         plan.measured.low, plan.measured.high,
                         i == sweep.chosen ? "  chosen by the models" : "", i == sweep.best ? "  best" : "");
  }
  out << "outputs of all: " << verdict_name(sweep.outputs.verdict)
      << (sweep.outputs.reason.empty() ? "" : " (" + sweep.outputs.reason + ")") << '\n';
  if (sweep.outputs.verdict == Verdict::Unknown) out << "hint: declare what may differ with --filter\n";
  out << llvm::formatv("the models' choice reaches {0:f1} % of the best\n", 100 * sweep.share());
}

void write_sweep(const Sweep& sweep, llvm::json::OStream& json) {
  json.attributeObject("machine", [&] { write_machine(sweep.bench.machine, json); });
  json.attribute("metric", sweep.bench.metric.unit());
  json.attribute("rounds", sweep.bench.rounds);
  json.attribute("chosen", sweep.chosen);
  json.attribute("best", sweep.best);
  json.attribute("share_of_best", sweep.share());
  json.attributeObject("outputs", [&] { write_verify(sweep.outputs, json); });
  json.attributeArray("plans", [&] {
    for (const SweptPlan& plan : sweep.plans)
      json.object([&] {
        json.attribute("name", name_of(plan));
        json.attribute("kind", plan.kind);
        json.attribute("budget", plan.budget);
        json.attribute("batch", plan.batch);
        json.attribute("stages", plan.stages);
        json.attribute("hidden_loads", plan.hidden_loads);
        json.attribute("predicted", plan.predicted);
        json.attribute("ratio", plan.measured.median);
        json.attributeArray("ratio_ci", [&] {
          json.value(plan.measured.low);
          json.value(plan.measured.high);
        });
        json.attribute("confidence", plan.measured.confidence);
      });
  });
}

} // namespace heddle

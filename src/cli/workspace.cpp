#include "cli/workspace.h"

#include "plan/make_plan.h"
#include "plan/sites.h"
#include "plan/weigh.h"
#include "profile/weights.h"
#include "support/file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace heddle {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

void WorkspaceOptions::add_to(CLI::App& app) {
  app.add_option("PROGRAM", program, "executable built with heddle cc")->required();
  app.add_option("--work", folder, "folder for Heddle's files (default: PROGRAM.heddle.d)");
  app.add_option("--body", bodies, "FUNCTION[:loop]: the packet body, instead of those Heddle finds")
      ->allow_extra_args(false);
}

llvm::Expected<Workspace> Workspace::open(const WorkspaceOptions& options) {
  Workspace workspace;
  auto image = load_image(options.program);
  if (!image) return image.takeError();
  workspace.image_ = std::move(*image);
  workspace.folder_ = options.folder.empty() ? options.program + ".heddle.d" : options.folder;
  workspace.prepare_.bodies = options.bodies;
  if (std::error_code ec = llvm::sys::fs::create_directories(workspace.folder_))
    return diagnose("cannot make the folder: " + ec.message(), "choose another with --work",
                    workspace.folder_);
  return std::move(workspace);
}

llvm::Expected<Program> Workspace::prepared() const {
  std::string saved = file("prepared.bc");
  if (llvm::sys::fs::exists(saved)) {
    llvm::Expected<Program> program = load_program(saved);
    if (program && program->id == program_id(image_, prepare_)) return program;
    if (!program) llvm::consumeError(program.takeError()); // of another version: made anew
  }
  llvm::Expected<Program> program = prepare(image_, prepare_);
  if (!program) return program;
  if (llvm::Error error = save_program(*program, saved)) return std::move(error);
  // Loaded again, so that the numbering never depends on what was in memory.
  return load_program(saved);
}

llvm::Expected<std::vector<std::string>> Workspace::arguments(std::vector<std::string> args) const {
  llvm::SmallString<256> folder(file("run"));
  (void)llvm::sys::fs::make_absolute(folder);
  if (std::error_code ec = llvm::sys::fs::create_directories(folder))
    return diagnose("cannot make the folder: " + ec.message(), "choose another with --work", folder);
  for (std::string& arg : args)
    for (size_t at; (at = arg.find("{out}")) != std::string::npos;)
      arg.replace(at, 5, folder.c_str());
  return std::move(args);
}

void PlanningOptions::add_to(CLI::App& app) {
  app.add_option("--policy", policy, "how cuts are chosen")
      ->check(CLI::IsMember({"optimistic-bound", "conservative", "greedy-heat", "finest", "none"}))
      ->capture_default_str();
  app.add_option("--budget", budget,
                 "instruction cache that a stage may take, e.g. 24K (default: the host's L1I)");
  app.add_option("--batch", batch, "most packets in flight")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  app.add_option("--without", without,
                 "switch a relaxation off: read-only, packet-private, allocator, commutative, "
                 "abnormal-exit");
}

namespace {

llvm::Expected<double> budget_lines(const std::string& text) {
  if (text.empty()) return double(host_icache().bytes) / host_icache().line;
  llvm::StringRef number = text;
  unsigned scale = number.consume_back_insensitive("k") ? 1024 : 1;
  unsigned bytes = 0;
  if (number.getAsInteger(10, bytes) || bytes == 0)
    return diagnose("not a size: " + text, "give bytes or kibibytes, such as 24K", "--budget");
  return double(bytes) * scale / 64;
}

} // namespace

llvm::Expected<Planned> make_plan_for(const Workspace& workspace, const Program& program, const Trace& trace,
                                      const PlanningOptions& options) {
  Planned result;
  auto budget = budget_lines(options.budget);
  if (!budget) return budget.takeError();
  for (const std::string& name : options.without)
    if (!llvm::is_contained(relaxation_names(), name))
      return diagnose("no relaxation is called " + name, "see `heddle plan --help` for their names",
                      "--without");
  auto footprint = map_footprint(workspace.image(), program);
  if (!footprint) return footprint.takeError();
  result.footprint = std::move(*footprint);

  BlockTable blocks(*program.module);
  std::vector<BlockWeight> weights = weigh_blocks(trace, result.footprint);
  AnalysisOptions analysis_options;
  analysis_options.hot = [&](BlockId block) { return weights[block].visits > 0; };
  analysis_options.code_lines = [&](BlockId block) { return double(result.footprint[block].lines()); };
  for (const std::string& name : options.without)
    analysis_options.locations.without.insert(name);
  double begin = now();
  auto analysis = analyse(program, blocks, analysis_options);
  if (!analysis) return analysis.takeError();
  result.analysis_seconds = now() - begin;
  result.graphs = std::move(analysis->graphs);
  for (size_t b = 0; b != result.graphs.size(); ++b)
    weigh_graph(result.graphs[b], program.bodies[b].number, trace, result.footprint);

  PlanOptions plan_options;
  plan_options.policy = options.policy;
  plan_options.budget.lines = *budget;
  plan_options.icache_lines = double(host_icache().bytes) / host_icache().line;
  plan_options.batch = options.batch;
  for (llvm::StringRef name : relaxation_names())
    if (!llvm::is_contained(options.without, name)) plan_options.relaxations.push_back(name.str());
  auto plan = make_plan(program.id, result.graphs, plan_options);
  if (!plan) return plan.takeError();
  result.plan = std::move(*plan);
  for (size_t b = 0; b != result.plan.bodies.size(); ++b) {
    const PacketBody& body = program.bodies[b];
    result.plan.bodies[b].source = body.function + " (" + body.loop_at.str() + ")";
  }
  for (const Remark& remark : program.remarks)
    result.plan.remarks.push_back(remark);
  for (Remark& remark : analysis->remarks)
    result.plan.remarks.push_back(std::move(remark));
  return std::move(result);
}

llvm::Expected<std::vector<SimulatedMisses>> simulate(const Trace& trace, const Planned& planned,
                                                      llvm::ArrayRef<CacheGeometry> caches) {
  std::vector<GraphWalker> walkers;
  std::vector<std::vector<unsigned>> stages; // per body, per node
  for (size_t b = 0; b != planned.graphs.size(); ++b) {
    walkers.emplace_back(planned.graphs[b]);
    auto of_nodes = stages_of(planned.graphs[b], planned.plan.bodies[b].sites);
    if (!of_nodes) return of_nodes.takeError();
    stages.push_back(std::move(*of_nodes));
  }
  auto segment = [&](const TracedPacket& packet, std::vector<std::pair<unsigned, uint64_t>>& begins) {
    if (packet.body >= walkers.size()) return;
    unsigned reached = 0;
    walkers[packet.body].walk(
        trace.blocks(packet),
        [&](uint64_t event, uint32_t node, uint32_t) {
          unsigned stage = stages[packet.body][node];
          if (stage <= reached) return;
          reached = stage;
          begins.push_back({stage, event});
        },
        [](uint64_t, uint32_t) {});
  };
  std::vector<SimulatedMisses> result;
  for (const CacheGeometry& cache : caches)
    result.push_back({cache.str(), simulate_original(trace, planned.footprint, cache),
                      simulate_staged(trace, planned.footprint, cache, planned.plan.batch, segment)});
  return std::move(result);
}

void print_misses(llvm::ArrayRef<SimulatedMisses> misses, llvm::raw_ostream& out) {
  out << "\nsimulated instruction-cache misses per thousand instructions\n";
  for (const SimulatedMisses& cache : misses)
    out << llvm::format("  %-8s  as written %7.2f   staged %7.2f   (%+.0f %%)\n", cache.cache.c_str(),
                        cache.original.mpki(), cache.staged.mpki(),
                        cache.original.misses ? 100.0 * (cache.staged.mpki() / cache.original.mpki() - 1)
                                              : 0.0);
}

std::string summary_of(const Plan& plan) {
  size_t stages = 0, sites = 0;
  for (const BodyPlan& body : plan.bodies) {
    stages = std::max(stages, body.sites.empty() ? 1 : body.stages.size());
    sites += body.sites.size();
  }
  if (sites == 0) return "no cut is legal and worth it";
  return std::to_string(stages) + " stages, " + std::to_string(sites) + " sites";
}

Step::Step(std::string name) : name_(std::move(name)), begin_(now()) {
  if (llvm::errs().is_displayed()) llvm::errs() << "heddle: " << name_ << " ...\r";
}

void Step::done(const llvm::Twine& result) {
  llvm::errs() << "heddle: " << name_ << ": " << result << llvm::format(" (%.1f s)\n", now() - begin_);
}

} // namespace heddle

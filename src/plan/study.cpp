#include "plan/study.h"

#include "analysis/analyse.h"
#include "plan/plan.h"
#include "plan/sites.h"
#include "plan/weigh.h"
#include "profile/weights.h"
#include "program/program.h"

#include <chrono>

namespace heddle {

using Clock = std::chrono::steady_clock;

uint64_t rare_below(const Trace& trace, llvm::ArrayRef<BlockWeight> weights, double share) {
  std::vector<uint64_t> rarest; // per packet: how many packets ran the rarest of its blocks
  for (const TracedPacket& packet : trace.packets) {
    uint64_t least = UINT64_MAX;
    for (BlockId block : trace.blocks(packet))
      least = std::min(least, weights[block].packets);
    rarest.push_back(least);
  }
  llvm::sort(rarest);
  size_t alone = size_t(share * double(rarest.size()));
  return alone < rarest.size() ? rarest[alone] : UINT64_MAX;
}

llvm::Expected<Study> study_program(const ProgramImage& image, const Program& program, const Trace& trace,
                                    const StudyOptions& chosen) {
  AnalysisOptions options;
  options.locations.declarations = chosen.declarations;
  options.locations.observed = chosen.observed;
  options.locations.first_inferred_key = chosen.first_inferred_key;
  for (const std::string& name : chosen.without) {
    if (!llvm::is_contained(relaxation_names(), name))
      return diagnose("no relaxation is called " + name, "see `heddle plan --help` for their names",
                      "--without");
    options.locations.without.insert(name);
  }
  Study study;
  auto footprint = map_footprint(image, program);
  if (!footprint) return footprint.takeError();
  study.footprint = std::move(*footprint);

  BlockTable blocks(*program.module);
  std::vector<BlockWeight> weights = weigh_blocks(trace, study.footprint);
  const uint64_t rare = rare_below(trace, weights, chosen.rare_share);
  if (chosen.rare_share > 0 && !options.locations.without.contains("rare-path"))
    options.rare = [&, rare](BlockId block) { return weights[block].packets < rare; };
  options.hot = [&](BlockId block) { return weights[block].visits > 0; };
  std::vector<std::optional<RunSpan>> spans = run_spans(trace, study.footprint);
  options.spans = [&](BlockId block) { return spans[block]; };
  options.code_lines = [&](BlockId block) { return double(study.footprint[block].bytes()) / 64; };
  Clock::time_point begin = Clock::now();
  auto analysis = analyse(program, blocks, options);
  if (!analysis) return analysis.takeError();
  study.analysis_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  study.graphs = std::move(analysis->graphs);
  study.remarks = std::move(analysis->remarks);
  for (size_t b = 0; b != study.graphs.size(); ++b)
    weigh_graph(study.graphs[b], program.bodies[b].number, trace, study.footprint);
  return std::move(study);
}

StudyOptions study_options_of(const Plan& plan) {
  StudyOptions options;
  options.rare_share = plan.rare_share;
  options.declarations = plan.declarations.trusted(plan.trust);
  for (const OpenedClaim& claim : plan.openings.claims)
    options.first_inferred_key = std::min(options.first_inferred_key, claim.key);
  for (llvm::StringRef name : relaxation_names())
    if (!llvm::is_contained(plan.relaxations, name)) options.without.push_back(name.str());
  return options;
}

llvm::Error check_edited_plan(const Plan& plan, const ProgramImage& image, const Program& program,
                              const Trace& trace) {
  if (plan.trust == "observed")
    return diagnose("a plan of --trust observed was edited, and there is nothing to check it by",
                    "make it again with `heddle plan`; check it by `heddle verify --dependencies`");
  auto study = study_program(image, program, trace, study_options_of(plan));
  if (!study) return study.takeError();
  if (plan.bodies.size() != study->graphs.size())
    return diagnose("the plan has " + llvm::Twine(plan.bodies.size()) + " packet bodies, and the program " +
                        llvm::Twine(study->graphs.size()),
                    "make the plan again with 'heddle plan', and leave out sites rather than bodies");
  for (size_t b = 0; b != study->graphs.size(); ++b)
    if (llvm::Error error = check_plan(plan.bodies[b], study->graphs[b])) return error;
  return llvm::Error::success();
}

} // namespace heddle

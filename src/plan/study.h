// What has to be known of a program before anything is decided, or an edited plan is checked: its packet
// bodies as weighted graphs.
#pragma once

#include "analysis/cut_graph.h"
#include "analysis/observed_dependence.h"
#include "profile/footprint.h"
#include "profile/trace.h"
#include "profile/weights.h"
#include "program/declarations.h"
#include "support/diagnostic.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct Plan;
struct Program;
struct ProgramImage;

struct Study {
  FootprintMap footprint;
  std::vector<CutGraph> graphs; // one per Program::bodies
  std::vector<Remark> remarks;  // of the analysis
  double analysis_seconds = 0;
};

struct StudyOptions {
  std::vector<std::string> without;                        // relaxations that are switched off
  std::optional<std::vector<ObservedDependence>> observed; // trust these alone (analysis/observed.h)
  double rare_share = 0; // of the sample's packets at most this share meets rare code; 0: none is rare
  Declarations declarations;
  unsigned first_inferred_key = UINT_MAX; // of the program's claims; those before it were declared
};

// Those that the plan was made with.
StudyOptions study_options_of(const Plan& plan);

// Blocks that fewer packets than this ran are rare: the largest number with which at most `share` of the sample's
// packets meet a rare block, and so run alone.
uint64_t rare_below(const Trace& trace, llvm::ArrayRef<BlockWeight> weights, double share);

// Errors: an unknown relaxation, and those of its parts.
llvm::Expected<Study> study_program(const ProgramImage& image, const Program& program, const Trace& trace,
                                    const StudyOptions& options);

// Is every cut of the plan legal? For plans that are not as `heddle plan` wrote them; needs the profile that
// the plan was made with, because it decides which calls are opened. Errors: the site and the window.
llvm::Error check_edited_plan(const Plan& plan, const ProgramImage& image, const Program& program,
                              const Trace& trace);

} // namespace heddle

// The options of a decision, common to `plan` and `optimize`.
#pragma once

#include "plan/plan.h"
#include "plan/study.h"

#include "CLI/CLI.hpp"

namespace heddle {

struct PlanningOptions {
  std::string policy = "optimistic-bound";
  std::string budget; // "32K" of instruction cache; empty: the model chooses
  unsigned batch = 0; // chosen
  bool stage = true, hide = true, fetch_along = true;
  std::string host;                  // a file or a stored host's name; empty: this machine
  std::string trust;                 // "proven" or "declared"; empty: declared if anything is
  std::vector<std::string> observed; // files of --observed
  std::string rare = "0";            // the share of packets that may meet rare code, or "auto"
  StudyOptions study;                // but for the share
  void add_to(CLI::App& app);
  Declarations declarations;
  // Settles `trust`, and what it lets the study use.
  void declare(const Declarations& all);
};

// From a program and its trace to a plan. Opens calls and loops in both on the way.
struct Decision {
  Study study;
  Plan plan;
};
llvm::Expected<Decision> decide(const ProgramImage& image, Program& program, Trace& trace,
                                const PlanningOptions& options);

} // namespace heddle

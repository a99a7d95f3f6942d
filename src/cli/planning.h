// The options of a decision, common to `plan` and `optimize`.
#pragma once

#include "plan/plan.h"
#include "plan/study.h"

#include "CLI/CLI.hpp"

namespace heddle {

struct PlanningOptions {
  std::string policy = "optimistic-bound";
  std::string budget; // "32K" of instruction cache; empty: the host's level-1 instruction cache
  unsigned batch = 32;
  std::string trust; // "proven" or "declared"; empty: declared if anything is
  StudyOptions study;
  void add_to(CLI::App& app);
  Declarations declarations;
  // Settles `trust`, and what it lets the study use.
  void declare(const Declarations& all);
};

llvm::Expected<Plan> decide(const Program& program, const Study& study, const PlanningOptions& options);

} // namespace heddle

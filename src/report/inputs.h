// The files of a work folder that a report is made from.
#pragma once

#include "plan/plan.h"

#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

// A part of the report that there is no data for.
struct LeftOut {
  std::string section, why, hint; // hint: what would make it
};

struct ReportInputs {
  std::string folder;
  Plan plan;
  llvm::json::Object plan_file;                                 // the same, as JSON
  std::optional<llvm::json::Object> path, verify, bench, sweep; // PART.json
  std::vector<LeftOut> left_out;
};

// Errors: no plan in the folder, or a file that is damaged. A result that is older than the plan belongs to another one: it is left
// out, as a missing one is.
llvm::Expected<ReportInputs> read_report_inputs(const std::string& folder);

} // namespace heddle

// The source lines that a report shows: around every site, the ends of its windows, and the expensive loads.
#pragma once

#include "report/inputs.h"

namespace heddle {

// Of each body the largest.
constexpr size_t windows_in_report = 100;

// Where to look for a file that is not at the path that it was compiled at: these folders.
struct SourceOptions {
  std::vector<std::string> folders;
};

// An array of {file, line, first, lines, uses: [{kind, text}]}, by file and line. `first`: the number of the first of `lines`. Files that
// are not found, or changed after the plan was made, are told in `left_out`.
llvm::json::Array source_views(const ReportInputs& inputs, const SourceOptions& options,
                               std::vector<LeftOut>& left_out);

} // namespace heddle

// The report's one document: what `heddle report --json` writes, and what the text and the page are made from. docs/report.md
// says where each figure comes from.
#pragma once

#include "report/inputs.h"
#include "report/sources.h"

namespace heddle {

// Consumes the inputs' parts.
llvm::json::Object report_document(ReportInputs inputs, const SourceOptions& options);

} // namespace heddle

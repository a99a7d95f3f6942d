// The report for the terminal.
#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

void print_report(const llvm::json::Object& document, llvm::raw_ostream& out);

} // namespace heddle

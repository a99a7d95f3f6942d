// Manual pages.
#pragma once

#include "cli/describe.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

// heddle(1): `commands`, as describe() has them, the first with its options and the others by name.
// `date`: of the page, as 2026-01-31.
void write_manual(llvm::ArrayRef<DescribedCommand> commands, const std::string& date, llvm::raw_ostream& out);

// heddle-NAME(1): one subcommand.
void write_manual(const DescribedCommand& command, const std::string& date, llvm::raw_ostream& out);

} // namespace heddle

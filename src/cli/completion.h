// Completion of the command line in shells.
#pragma once

#include "cli/describe.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

// `commands`: as describe() has them.
void write_bash_completion(llvm::ArrayRef<DescribedCommand> commands, llvm::raw_ostream& out);
void write_zsh_completion(llvm::ArrayRef<DescribedCommand> commands, llvm::raw_ostream& out);
void write_fish_completion(llvm::ArrayRef<DescribedCommand> commands, llvm::raw_ostream& out);

} // namespace heddle

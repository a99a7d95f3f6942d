// Trying things out in processes of their own.
#pragma once

#include "support/file.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct Tried {
  bool ok = false;
  std::string text; // what it printed; where it failed: the first line of its errors, or why it did not start
};

// Runs a program (a path, or a name looked up in PATH) for at most half a minute.
Tried try_program(llvm::StringRef program, llvm::ArrayRef<std::string> args);

// A C program, made by Heddle's clang. `flags` go behind the source, so they may name libraries.
class TriedProgram {
public:
  TriedProgram(llvm::StringRef source, llvm::ArrayRef<std::string> flags);
  const Tried& made() const { return made_; }
  Tried run(llvm::ArrayRef<std::string> args = {}) const;

private:
  std::optional<TemporaryFolder> folder_;
  Tried made_;
};

} // namespace heddle

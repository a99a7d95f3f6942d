// What all versions of a program begin with, made once.
#pragma once

#include "specialize/bpf/object_file.h"
#include "specialize/bpf/sections.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace heddle {

// The program, optimised as clang did it, and once more where variables that nobody changes any more have become constants.
struct Prepared {
  std::string bitcode;
  llvm::StringSet<> variables; // global ones that stay where they are
  unsigned folded = 0;         // reads of frozen variables
};

// Keeps it from one version to the next: it takes more of a version's time than what follows.
class PreparedPrograms {
public:
  // `frozen`: by section, the bytes of variables that are constants by now. Errors: the bitcode cannot be read.
  llvm::Expected<const Prepared*> get(const BpfObjectFile& object, const DataSections& sections,
                                      const llvm::StringMap<std::string>& frozen);

private:
  llvm::StringMap<std::string> frozen_; // of last_
  std::optional<Prepared> last_;
};

} // namespace heddle

// The table of external models as written; external_models.h explains the clauses.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace heddle {

struct ExternalLine {
  const char* names;   // separated by blanks
  const char* clauses; // the model they share
};

llvm::ArrayRef<ExternalLine> external_table();

} // namespace heddle

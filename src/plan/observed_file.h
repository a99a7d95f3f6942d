// What `heddle verify --dependencies --json FILE` saw, as `heddle plan --trust observed` reads it.
#pragma once

#include "analysis/observed_dependence.h"

#include "llvm/Support/Error.h"

namespace heddle {

// The violations of the file: accesses whose order the plan that was checked would have reversed. Errors: unreadable,
// or not such a file.
llvm::Expected<std::vector<ObservedDependence>> read_observed(llvm::StringRef path);

} // namespace heddle

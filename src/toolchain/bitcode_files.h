// Concatenated bitcode files.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace heddle {

// The bitcode files that stand one after another in `bytes`, with any padding of zeros between them left out.
// The results point into `bytes`. Error: something that is not bitcode, or a file that is cut off.
llvm::Expected<std::vector<llvm::StringRef>> split_bitcode_files(llvm::StringRef bytes);

} // namespace heddle

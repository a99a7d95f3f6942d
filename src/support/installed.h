// Files that belong to Heddle itself: the runtime's libraries, the report's page.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

// In $HEDDLE_LIB, else in ../lib/heddle of the folder of the running executable. Whether it is there is not looked at.
std::string installed_file(llvm::StringRef name);

// Likewise of data, in ../share/heddle of that folder.
std::string shared_file(llvm::StringRef name);

} // namespace heddle

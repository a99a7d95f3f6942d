// The table that library.h describes.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace heddle {

struct LibraryLine {
  const char *names, *effects;
};
llvm::ArrayRef<LibraryLine> library_table();
// Of functions that are in the program although they are a library's.
llvm::ArrayRef<LibraryLine> inline_table();

} // namespace heddle

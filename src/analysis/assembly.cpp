#include "analysis/assembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

bool is_harmless_assembly(llvm::StringRef text) {
  static constexpr llvm::StringRef harmless[] = {"rep",    "nop",    "pause", "mfence",
                                                 "lfence", "sfence", "cpuid"};
  llvm::SmallVector<llvm::StringRef, 4> lines, statements;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines)
    line.split(statements, ';');
  return llvm::all_of(statements, [](llvm::StringRef statement) {
    statement = statement.trim();
    return statement.empty() || statement.starts_with("prefetch") || llvm::is_contained(harmless, statement);
  });
}

} // namespace heddle

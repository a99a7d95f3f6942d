// From a module to an object file, and from object files to the linked program.
#pragma once

#include "toolchain/image.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace heddle {

// Code generation only (no IR optimisation), with the flags the program was built with: PIC level, code
// model, CPU and features come from the module and its functions. The module is consumed as scratch: it may
// be changed.
llvm::Error emit_object(llvm::Module& module, llvm::StringRef path);

// Repeats the program's own link with `objects` in place of every bitcode input, and `extra` (options,
// archives) at the end. Writes beside and renames. The result does not carry bitcode.
llvm::Error relink(const ProgramImage& image, llvm::ArrayRef<std::string> objects,
                   llvm::ArrayRef<std::string> extra, llvm::StringRef output);

} // namespace heddle

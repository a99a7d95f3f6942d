// From a plan to the optimized program.
#pragma once

#include "plan/plan.h"
#include "program/program.h"
#include "toolchain/image.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace heddle {

// Writes the program staged by `plan` to `output` (beside, then renamed). `program` is left as it is.
// Errors: a plan of another build, one that does not fit (apply_plan), no runtime library, a failing link.
llvm::Error build_program(const ProgramImage& image, const Program& program, const Plan& plan,
                          llvm::StringRef output);

// The runtime that goes into optimized programs: libheddle_rt.a in $HEDDLE_LIB, else in ../lib/heddle of the folder
// of the running executable.
llvm::Expected<std::string> runtime_library();

} // namespace heddle

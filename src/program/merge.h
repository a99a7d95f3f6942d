// All translation units of a program as one module.
#pragma once

#include "toolchain/image.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace heddle {

// Links the image's modules in link order into `context` and makes every symbol internal that nothing outside
// the bitcode can refer to. Errors: bitcode that cannot be read, two strong definitions, targets that differ.
llvm::Expected<std::unique_ptr<llvm::Module>> merge_modules(const ProgramImage& image,
                                                            llvm::LLVMContext& context);

} // namespace heddle

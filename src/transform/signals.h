// The program's signal handlers are installed through the runtime (src/runtime/signals.cpp).
#pragma once

#include "llvm/IR/Module.h"

namespace heddle {

void install_handlers_through_runtime(llvm::Module& module);

} // namespace heddle

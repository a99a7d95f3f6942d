#include "transform/signals.h"

using namespace llvm;

namespace heddle {

void install_handlers_through_runtime(Module& module) {
  static constexpr std::pair<StringRef, StringRef> installers[] = {{"sigaction", "heddle_sigaction"},
                                                                   {"signal", "heddle_signal"}};
  for (auto [name, ours] : installers) {
    Function* function = module.getFunction(name);
    if (function == nullptr || !function->isDeclaration()) continue;
    Function* instead =
        Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage, ours, module);
    instead->setAttributes(function->getAttributes());
    instead->setVisibility(GlobalValue::HiddenVisibility);
    function->replaceAllUsesWith(instead);
  }
}

} // namespace heddle

#include "transform/waiting.h"

#include "program/captures.h"
#include "program/modelled.h"
#include "transform/gates.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

// For src/runtime/pcap_next.cpp.
static void tell_of_time_outs(Module& module) {
  Type* word = Type::getInt32Ty(module.getContext());
  auto* told = new GlobalVariable(module, word, true, GlobalValue::ExternalLinkage, ConstantInt::get(word, 1),
                                  "heddle_captures_time_out");
  told->setVisibility(GlobalValue::HiddenVisibility);
}

unsigned finish_before_waiting(Module& module) {
  if (!receives_datagrams(module)) return 0;
  if (captures_time_out(module)) tell_of_time_outs(module);
  SmallVector<CallBase*, 16> waiting;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call && waits_for_input(*call))
        waiting.push_back(call);
  for (CallBase* call : waiting)
    insert_gate(*call, Gate::RareCode);
  return unsigned(waiting.size());
}

} // namespace heddle

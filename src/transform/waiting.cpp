#include "transform/waiting.h"

#include "program/modelled.h"
#include "transform/gates.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

unsigned finish_before_waiting(Module& module) {
  if (!receives_datagrams(module)) return 0;
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

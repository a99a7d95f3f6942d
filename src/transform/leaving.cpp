#include "transform/leaving.h"

#include "analysis/leaving_calls.h"
#include "transform/gates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

unsigned finish_before_leaving(Module& module) {
  SmallVector<CallBase*, 16> leaving;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call && leaves_without_return(*call))
        leaving.push_back(call);
  for (CallBase* call : leaving)
    insert_gate(*call, Gate::Leaving);
  return unsigned(leaving.size());
}

} // namespace heddle

#include "program/inlining.h"

#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace heddle {

static bool same_processor(const Function& left, const Function& right) {
  for (StringRef kind : {"target-cpu", "target-features"})
    if (left.getFnAttribute(kind) != right.getFnAttribute(kind)) return false;
  return true;
}

bool can_be_inlined(const Function& callee, const Function& caller) {
  return same_processor(caller, callee) && AttributeFuncs::areInlineCompatible(caller, callee) &&
         isInlineViable(const_cast<Function&>(callee)).isSuccess(); // changes nothing
}

} // namespace heddle

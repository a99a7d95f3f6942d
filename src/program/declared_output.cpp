#include "program/declared_output.h"

#include "program/deferrable.h"
#include "program/modelled.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle {
namespace {

constexpr StringLiteral mark = "heddle-declared-output";
constexpr unsigned longest_wrapper = 40; // instructions, unoptimised

SmallVector<CallBase*, 8> calls_in(Function& function) {
  SmallVector<CallBase*, 8> calls;
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallBase>(&instruction)) calls.push_back(call);
  return calls;
}

// Is it a short function that does little but the output?
bool is_wrapper(Function& function) {
  return !function.isDeclaration() && !function.isVarArg() &&
         function.getInstructionCount() <= longest_wrapper &&
         any_of(calls_in(function), [](CallBase* call) { return deferrable_function(*call); });
}

unsigned mark_calls_of(Function& function, size_t number) {
  for (CallBase* call : calls_in(function))
    if (Function* callee = call->getCalledFunction(); callee && callee != &function && is_wrapper(*callee)) {
      InlineFunctionInfo info;
      InlineFunction(*call, info);
    }
  unsigned marked = 0;
  for (CallBase* call : calls_in(function))
    if (deferrable_function(*call)) {
      call->addFnAttr(Attribute::get(function.getContext(), mark, std::to_string(number)));
      ++marked;
    }
  return marked;
}

} // namespace

Error mark_declared_output(Module& module, const Declarations& declarations) {
  size_t number = 0;
  for (const Declaration& declaration : declarations.all) {
    if (declaration.kind != "output") continue;
    for (size_t i = 0; i != declaration.names.size(); ++i) {
      unsigned marked = 0;
      for (Function& function : module)
        if (!function.isDeclaration() && is_called(function, declaration.names[i]))
          marked += mark_calls_of(function, number);
      if (marked == 0)
        return diagnose("'" + declaration.names[i] + "' makes no call for output that could be kept",
                        "name the function that itself calls write, writev, send, sendto, sendmsg, fwrite, "
                        "fprintf or the like",
                        declarations.place(declaration, i));
    }
    ++number;
  }
  return Error::success();
}

bool is_declared_output(const CallBase& call) {
  return call.hasFnAttr(mark);
}

bool is_output_of(const CallBase& call, size_t number) {
  unsigned long long marked = 0;
  return is_declared_output(call) && !call.getFnAttr(mark).getValueAsString().getAsInteger(10, marked) &&
         marked == number;
}

} // namespace heddle

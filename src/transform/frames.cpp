// Frames that a packet holds across a site.
//
// Problem. The processor predicts where a return goes by a small stack of the calls it has seen. Packets in flight have
// stacks of their own, but the predictor has one: what a resumed packet returns from was called long ago, before
// all the others. So each function that a packet is in at a site costs a mispredicted return, once per packet, however many
// sites it crosses there. Measured, one site at the bottom of a chain of n calls (Sapphire Rapids, 4 or 32 in flight):
// 8.4 ns, 23 cycles, for each of the n; a crossing by itself is 8 to 9 cycles (bench/crossing). nginx has
// sites up to 18 calls deep.
//
// Alternatives. (a) Let the plan count frames and prefer shallow cuts: the best cuts in size are often deep. (b) Return
// by an indirect jump, which is predicted by its own address: also needs calls that push nothing on the predictor's stack,
// which no compiler has. (c) Inline the functions: an opened context has one caller, so no code is duplicated.
//
// Choice: (c). Functions stay visible to debuggers as inlined frames.
//
// match: functions that hold a context's sites (staging.cpp marks them). legal: one use, which is a call; the compiler's own
// conditions (no va_start, no setjmp, the caller has all features of the processor that the callee uses). The rest stay
// calls, which is slower and as right. profitable: always. rewrite: in any order, because a function has gone when its only
// caller has it. count: JoinedFrames.
#include "transform/frames.h"

#include "program/inlining.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <vector>

using namespace llvm;

namespace heddle {
namespace {

constexpr StringLiteral mark = "heddle-context";

CallBase* only_call(Function& function) {
  if (!function.hasLocalLinkage() || !function.hasOneUse()) return nullptr;
  auto* call = dyn_cast<CallBase>(*function.user_begin());
  return call != nullptr && call->getCalledFunction() == &function ? call : nullptr;
}

} // namespace

void mark_context(Function& context) {
  context.addFnAttr(mark);
}

JoinedFrames join_frames(Module& module) {
  std::vector<Function*> contexts;
  for (Function& function : module)
    if (function.hasFnAttribute(mark)) contexts.push_back(&function);
  JoinedFrames result;
  result.possible = unsigned(contexts.size());
  for (Function* context : contexts) {
    context->removeFnAttr(mark);
    CallBase* call = only_call(*context);
    if (call == nullptr || !can_be_inlined(*context, *call->getFunction())) continue;
    InlineFunctionInfo info;
    if (!InlineFunction(*call, info, /*MergeAttributes=*/true).isSuccess()) continue;
    context->eraseFromParent();
    ++result.performed;
  }
  return result;
}

} // namespace heddle

// Problem. A packet body is a function of its own, which the runtime calls for each packet, with what crosses its border in
// memory. That is the price of staging it; a body that is not staged must not pay it. For a look-up of ten instructions it is twice the time.
//
// Choice: the loop as it was, with the body inlined; its environment, a variable of the function that holds the loop, then becomes
// values again. What the optimiser does to loops follows (program/pipeline.h), because it has not seen this one yet.
//
// match: bodies without sites, run by heddle_run_loop (a callback is called by a library). legal: with staging off that function is this
// loop; packets that receive for themselves see no others in flight and receive as the program does. profitable: always. rewrite: the
// call. count: the functions returned.
#include "transform/restore.h"

#include "program/inlining.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle {

namespace {

CallBase* call_that_runs(Function& body) {
  if (!body.hasLocalLinkage() || !body.hasOneUse()) return nullptr;
  auto* call = dyn_cast<CallBase>(*body.user_begin());
  Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == "heddle_run_loop" ? call : nullptr;
}

// while ((result = body(env)) == 0);
CallBase* make_loop(CallBase& run, Function& body) {
  BasicBlock* before = run.getParent();
  BasicBlock* loop = before->splitBasicBlock(run.getIterator(), "packets");
  IRBuilder<> builder(&run);
  Value* env = run.getArgOperand(1);
  CallBase* one = nullptr;
  BasicBlock* behind = nullptr;
  if (auto* invoke = dyn_cast<InvokeInst>(&run)) {
    behind = BasicBlock::Create(run.getContext(), "packet.ends", run.getFunction(), invoke->getNormalDest());
    one = builder.CreateInvoke(&body, behind, invoke->getUnwindDest(), {env});
    builder.SetInsertPoint(behind);
    invoke->getNormalDest()->replacePhiUsesWith(loop, behind);
    builder.CreateCondBr(builder.CreateIsNull(one), loop, invoke->getNormalDest());
  } else {
    behind = loop->splitBasicBlock(std::next(run.getIterator()), "packets.end");
    loop->getTerminator()->eraseFromParent();
    one = builder.CreateCall(&body, {env});
    builder.SetInsertPoint(loop);
    builder.CreateCondBr(builder.CreateIsNull(one), loop, behind);
  }
  one->setDebugLoc(run.getDebugLoc());
  run.replaceAllUsesWith(one);
  run.eraseFromParent();
  return one;
}

} // namespace

std::vector<Function*> restore_loops(Module& module, const Plan& plan) {
  std::vector<Function*> holders;
  for (const BodyPlan& planned : plan.bodies) {
    Function* body = planned.sites.empty() ? module.getFunction(planned.body) : nullptr;
    CallBase* run = body && !body->isDeclaration() ? call_that_runs(*body) : nullptr;
    if (!run || !can_be_inlined(*body, *run->getFunction())) continue;
    Function* holder = run->getFunction();
    CallBase* one = make_loop(*run, *body);
    InlineFunctionInfo info;
    if (InlineFunction(*one, info).isSuccess()) body->eraseFromParent();
    if (!is_contained(holders, holder)) holders.push_back(holder);
  }
  return holders;
}

} // namespace heddle

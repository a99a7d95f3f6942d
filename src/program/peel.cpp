// The copy gets the way in: preheader -> copy of the header -> ... -> copy of the latch -> header. Exits of the loop
// have one more predecessor each, the exiting block's copy; because the loop is in LCSSA form, every value that is
// used behind it passes a phi there, and the phi gets the copy's value. The copy of the header has one
// predecessor, so its phis are the values that came from the preheader.
#include "program/peel.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle {
namespace {

bool must_be_single(const BasicBlock* block) {
  if (block->hasAddressTaken()) return true;
  return any_of(*block, [](const Instruction& instruction) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    return call != nullptr && (call->hasFnAttr(Attribute::ReturnsTwice) || call->isConvergent());
  });
}

// The loop with this header, made simple.
struct SimpleLoop {
  explicit SimpleLoop(Function& function, BasicBlock& header) : dominators(function), loops(dominators) {
    Loop* found = loops.getLoopFor(&header);
    if (found == nullptr || found->getHeader() != &header) return;
    simplifyLoop(found, &dominators, &loops, nullptr, nullptr, nullptr, false);
    formLCSSARecursively(*found, dominators, &loops, nullptr);
    if (found->getHeader() == &header && found->isLoopSimplifyForm() && can_peel(*found)) loop = found;
  }

  DominatorTree dominators;
  LoopInfo loops;
  Loop* loop = nullptr; // null: it cannot be peeled
};

Value* mapped(Value* value, const ValueToValueMapTy& copies) {
  auto found = copies.find(value);
  return found == copies.end() ? value : static_cast<Value*>(found->second);
}

SmallVector<BasicBlock*, 16> copy_blocks(Loop& loop, BasicBlock& preheader, ValueToValueMapTy& copies,
                                         const CopiedBlock& copied) {
  Function& function = *loop.getHeader()->getParent();
  SmallVector<BasicBlock*, 16> made;
  for (BasicBlock* block : loop.blocks()) {
    BasicBlock* copy = CloneBasicBlock(block, copies, ".first", &function);
    copies[block] = copy;
    made.push_back(copy);
    copied(*block, *copy);
  }
  // The header's phis are what came in.
  for (PHINode& phi : loop.getHeader()->phis()) {
    cast<PHINode>(copies[&phi])->eraseFromParent();
    copies[&phi] = phi.getIncomingValueForBlock(&preheader);
  }
  remapInstructionsInBlocks(made, copies);
  return made;
}

// Scopes declared inside the loop speak of one iteration.
void copy_alias_scopes(Loop& loop, ArrayRef<BasicBlock*> made) {
  SmallVector<MDNode*, 6> scopes;
  identifyNoAliasScopesToClone(loop.getBlocks(), scopes);
  cloneAndAdaptNoAliasScopes(scopes, made, loop.getHeader()->getContext(), "first");
}

} // namespace

bool can_peel(const Loop& loop) {
  auto is_jump = [](const BasicBlock* from) {
    return !isa<IndirectBrInst, CallBrInst>(from->getTerminator());
  };
  return loop.isSafeToClone() && none_of(loop.blocks(), must_be_single) && !loop.getHeader()->isEHPad() &&
         all_of(predecessors(loop.getHeader()), is_jump);
}

bool peel_once(Function& function, BasicBlock& header, const CopiedBlock& copied) {
  SimpleLoop simple(function, header);
  if (simple.loop == nullptr) return false;
  Loop& loop = *simple.loop;
  BasicBlock* const preheader = loop.getLoopPreheader();
  BasicBlock* const latch = loop.getLoopLatch();
  ValueToValueMapTy copies;
  SmallVector<BasicBlock*, 16> made = copy_blocks(loop, *preheader, copies, copied);
  copy_alias_scopes(loop, made);

  auto* first_header = cast<BasicBlock>(copies[&header]);
  auto* first_latch = cast<BasicBlock>(copies[latch]);
  preheader->getTerminator()->replaceSuccessorWith(&header, first_header);
  first_latch->getTerminator()->replaceSuccessorWith(first_header, &header);
  first_latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
  for (PHINode& phi : header.phis()) {
    Value* next = mapped(phi.getIncomingValueForBlock(latch), copies);
    int from_outside = phi.getBasicBlockIndex(preheader);
    phi.setIncomingBlock(unsigned(from_outside), first_latch);
    phi.setIncomingValue(unsigned(from_outside), next);
  }
  SmallVector<BasicBlock*, 8> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock* exit : exits)
    for (PHINode& phi : exit->phis())
      for (unsigned i = 0, before = phi.getNumIncomingValues(); i != before; ++i)
        if (loop.contains(phi.getIncomingBlock(i)))
          phi.addIncoming(mapped(phi.getIncomingValue(i), copies),
                          cast<BasicBlock>(copies[phi.getIncomingBlock(i)]));
  return true;
}

} // namespace heddle

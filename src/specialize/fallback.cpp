// Problem: code that was made for a table's contents must not run on once these have changed, also where that happens in the
// middle of a packet, after the packet has been written to or a counter has been raised.
//
// Alternatives: a tail call of the original program at the entry starts over, which is wrong in the middle, counts against
// the limit of tail calls, and depends on a table that the kernel empties when its last owner dies. A choice between
// specialized and original lookup at each site keeps both ways open behind it, so nothing propagates past the site.
//
// Choice: two copies of the body in one function, and edges from the first to the second. What must be right at such an edge is every
// value that the second copy goes on to use. So all values that live across blocks are put into stack slots that both
// copies share, the blocks are copied, the edges are added, and LLVM's promotion of slots to registers computes the phis.
// Variables that were on the stack to begin with stay one for both. The cost is code size, about double, and twice the
// verifier's work; a check is two loads of hot lines and a compare.
#include "specialize/fallback.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace heddle {

using namespace llvm;

namespace {

// Names of variables would have to be told apart between the copies; lines stay.
void drop_variables(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    instruction.dropDbgRecords();
    if (isa<DbgVariableIntrinsic>(instruction)) instruction.eraseFromParent();
  }
}

// Leaves the entry block with the stack's variables alone.
BasicBlock* split_entry(Function& function) {
  BasicBlock& entry = function.getEntryBlock();
  SmallVector<AllocaInst*, 8> slots;
  for (Instruction& instruction : entry)
    if (auto* slot = dyn_cast<AllocaInst>(&instruction)) slots.push_back(slot);
  for (AllocaInst* slot : reverse(slots))
    slot->moveBefore(entry, entry.begin());
  auto first = find_if(entry, [](const Instruction& i) { return !isa<AllocaInst>(i); });
  return SplitBlock(&entry, first);
}

bool lives_across_blocks(const Instruction& instruction) {
  return any_of(instruction.users(), [&](const User* user) {
    return cast<Instruction>(user)->getParent() != instruction.getParent() || isa<PHINode>(user);
  });
}

void demote_values(Function& function) {
  BasicBlock& entry = function.getEntryBlock();
  BasicBlock::iterator slots = entry.getTerminator()->getIterator();
  SmallVector<Instruction*, 32> values;
  SmallVector<PHINode*, 32> phis;
  for (Instruction& instruction : instructions(function)) {
    if (instruction.getParent() == &entry) continue;
    if (auto* phi = dyn_cast<PHINode>(&instruction)) phis.push_back(phi);
    if (lives_across_blocks(instruction)) values.push_back(&instruction);
  }
  for (Instruction* value : values)
    DemoteRegToStack(*value, /*VolatileLoads=*/false, slots);
  for (PHINode* phi : phis)
    DemotePHIToStack(phi, slots);
}

void promote_values(Function& function) {
  SmallVector<AllocaInst*, 32> slots;
  for (Instruction& instruction : function.getEntryBlock())
    if (auto* slot = dyn_cast<AllocaInst>(&instruction); slot && isAllocaPromotable(slot))
      slots.push_back(slot);
  DominatorTree dominators(function);
  PromoteMemToReg(slots, dominators);
}

// Replaces the end of `block` by a check that goes on in `specialized` or in `original`.
void check(BasicBlock& block, BasicBlock& specialized, BasicBlock& original, const Guard& guard) {
  Instruction* end = block.getTerminator();
  IRBuilder<> builder(end);
  Value* now =
      builder.CreateLoad(guard.variable->getValueType(), guard.variable, /*isVolatile=*/true, "epoch");
  Value* holds = builder.CreateICmpEQ(now, guard.epoch(builder), "holds");
  MDNode* weights = MDBuilder(block.getContext()).createBranchWeights(1000, 1);
  builder.CreateCondBr(holds, &specialized, &original, weights);
  end->eraseFromParent();
}

// Where calls go whose guard holds: to `specialized`, or by the detour to `original`.
BasicBlock* choose(const Detour& detour, BasicBlock& specialized, BasicBlock& original) {
  Function& function = *specialized.getParent();
  LLVMContext& context = function.getContext();
  BasicBlock* chosen = BasicBlock::Create(context, "choose", &function, &specialized);
  BasicBlock* around = BasicBlock::Create(context, "detour", &function, &specialized);
  IRBuilder<> builder(function.getEntryBlock().getTerminator());
  builder.CreateStore(builder.getFalse(), detour.taken);
  builder.SetInsertPoint(chosen);
  MDNode* weights = MDBuilder(context).createBranchWeights(1, 1000);
  builder.CreateCondBr(detour.wanted(builder), around, &specialized, weights);
  builder.SetInsertPoint(around);
  builder.CreateStore(builder.getTrue(), detour.taken);
  builder.CreateBr(&original);
  return chosen;
}

// On the way to `original` from the entry's check.
BasicBlock& missed(const Guard& guard, BasicBlock& original) {
  if (!guard.missed) return original;
  BasicBlock* block = BasicBlock::Create(original.getContext(), "missed", original.getParent(), &original);
  IRBuilder<> builder(block);
  guard.missed(builder);
  builder.CreateBr(&original);
  return *block;
}

} // namespace

void add_fallback(Function& function, const Guard& guard, ArrayRef<Instruction*> checked,
                  const Detour& detour) {
  drop_variables(function);
  BasicBlock* body = split_entry(function);
  // A check stands in a block of its own end: the block behind it begins at the point that both copies share.
  SmallVector<BasicBlock*, 8> points;
  for (Instruction* instruction : checked)
    points.push_back(SplitBlock(instruction->getParent(), instruction));
  demote_values(function);

  SmallVector<BasicBlock*, 32> blocks;
  for (BasicBlock& block : drop_begin(function))
    blocks.push_back(&block);
  ValueToValueMapTy copies;
  SmallVector<BasicBlock*, 32> copied;
  for (BasicBlock* block : blocks) {
    BasicBlock* copy = CloneBasicBlock(block, copies, ".original", &function);
    copies[block] = copy;
    copied.push_back(copy);
  }
  remapInstructionsInBlocks(copied, copies);

  for (BasicBlock* point : points)
    check(*point->getSinglePredecessor(), *point, *cast<BasicBlock>(copies[point]), guard);
  BasicBlock& original = *cast<BasicBlock>(copies[body]);
  BasicBlock* begin = detour.taken ? choose(detour, *body, original) : body;
  check(function.getEntryBlock(), *begin, missed(guard, original), guard);
  promote_values(function);
}

} // namespace heddle

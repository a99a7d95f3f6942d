#include "program/loop_region.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle {

FunctionAnalyses::FunctionAnalyses(Function& function)
    : dominators(function), loops(dominators), library_base(Triple(function.getParent()->getTargetTriple())),
      library(library_base, &function), assumptions(function),
      evolution(function, library, assumptions, dominators, loops), costs(function.getDataLayout()) {}

namespace {

std::optional<StringRef> refuse_instruction(const Instruction& instruction) {
  if (isa<CallBrInst>(instruction)) return "asm-goto-in-loop";
  if (isa<IndirectBrInst>(instruction)) return "computed-goto-in-loop";
  if (isa<FuncletPadInst>(instruction) || isa<CatchSwitchInst>(instruction)) return "loop-not-simple";
  if (auto* call = dyn_cast<CallBase>(&instruction)) {
    if (call->isMustTailCall()) return "musttail-in-loop";
    switch (call->getIntrinsicID()) {
    case Intrinsic::vastart:
    case Intrinsic::localescape:
    case Intrinsic::frameaddress:
      return "varargs-in-loop";
    default:
      break;
    }
  }
  return std::nullopt;
}

std::optional<StringRef> refuse_loop(const Function& function, const Loop& loop) {
  if (function.isPresplitCoroutine()) return "coroutine-loop";
  if (function.callsFunctionThatReturnsTwice()) return "setjmp-in-loop-function";
  for (BasicBlock* block : loop.blocks()) {
    if (block->hasAddressTaken()) return "computed-goto-in-loop";
    for (const Instruction& instruction : *block)
      if (auto code = refuse_instruction(instruction)) return code;
  }
  return std::nullopt;
}

// One backedge. LoopSimplify would do it too, but may first decide that two backedges are two nested loops,
// which would tear a `continue` off the packet loop.
void join_backedges(BasicBlock& header, const Loop& loop) {
  SmallVector<BasicBlock*, 8> latches;
  loop.getLoopLatches(latches);
  if (latches.size() > 1) SplitBlockPredecessors(&header, latches, ".next");
}

// The landing pads that calls of the loop unwind to lie outside of it. Each is cut after its landingpad
// instruction; the head goes into the body, which thus catches what it must and leaves through an exit.
void cut_landing_pads(const Loop& loop) {
  SmallVector<BasicBlock*, 8> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock* exit : exits)
    if (exit->isLandingPad())
      exit->splitBasicBlock(std::next(exit->getLandingPadInst()->getIterator()), exit->getName() + ".rest");
}

class Describe {
public:
  Describe(LoopRegion& region, Loop& loop, FunctionAnalyses& analyses)
      : region_(region), loop_(loop), analyses_(analyses) {}

  void run() {
    collect_blocks();
    collect_exits();
    collect_carried();
    collect_local();
    collect_captured();
    collect_live_out();
  }

private:
  void collect_blocks() {
    for (BasicBlock& block : *region_.function) {
      bool pad = block.isLandingPad() &&
                 any_of(predecessors(&block), [&](BasicBlock* pred) { return loop_.contains(pred); });
      if (loop_.contains(&block) || pad) region_.blocks.insert(&block);
    }
  }

  void collect_exits() {
    SmallPtrSet<BasicBlock*, 4> seen;
    for (BasicBlock* block : region_.blocks) {
      seen.clear();
      for (BasicBlock* successor : successors(block))
        if (!region_.blocks.contains(successor) && seen.insert(successor).second)
          region_.exits.push_back({block, successor});
    }
  }

  void collect_carried() {
    for (PHINode& phi : region_.header->phis()) {
      Carried carried{&phi, phi.getIncomingValueForBlock(region_.preheader),
                      phi.getIncomingValueForBlock(region_.latch)};
      region_.carried.push_back(carried);
    }
    mark_at_entry();
    for (Carried& carried : region_.carried) {
      auto* next = dyn_cast<Instruction>(carried.next);
      bool defined_once = next && region_.contains(next) && next->getParent() != region_.preheader &&
                          analyses_.loops.getLoopFor(next->getParent()) == &loop_ && !next->isTerminator() &&
                          !(isa<PHINode>(next) && next->getParent() == region_.header);
      carried.store_at_latch = !defined_once;
    }
  }

  // Largest set of phis whose next values are made of nothing but one another and what the loop does not
  // change: start with all and drop those that need more until nothing changes.
  void mark_at_entry() {
    for (Carried& carried : region_.carried)
      carried.at_entry = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (Carried& carried : region_.carried) {
        unsigned budget = 16;
        if (!carried.at_entry || early(carried.next, budget)) continue;
        carried.at_entry = false;
        changed = true;
      }
    }
  }

  bool early(Value* value, unsigned& budget) const {
    auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || !region_.contains(instruction)) return true;
    if (instruction->getParent() == region_.header && isa<PHINode>(instruction))
      return find_if(region_.carried, [&](const Carried& carried) { return carried.phi == instruction; })
          ->at_entry;
    if (budget-- == 0 || isa<PHINode>(instruction) || isa<CallBase>(instruction) ||
        instruction->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(instruction))
      return false;
    return all_of(instruction->operands(), [&](Value* operand) { return early(operand, budget); });
  }

  void collect_local();
  bool is_local(AllocaInst& alloca) const;
  bool uses_stay_inside(AllocaInst& alloca, SmallVectorImpl<Instruction*>& uses, bool& escapes) const;
  bool overwrites(const Instruction& instruction, const AllocaInst& alloca) const;

  void collect_captured() {
    for (BasicBlock* block : region_.blocks)
      for (Instruction& instruction : *block)
        for (Value* operand : instruction.operands())
          capture(instruction, operand);
    for (Carried& carried : region_.carried)
      if (carried.next != carried.phi) capture_value(carried.next);
  }

  void capture(Instruction& user, Value* operand) {
    if (isa<PHINode>(user) && user.getParent() == region_.header) return;
    capture_value(operand);
  }

  void capture_value(Value* value) {
    auto* instruction = dyn_cast<Instruction>(value);
    auto* alloca = dyn_cast<AllocaInst>(value);
    if (alloca && region_.local.contains(alloca)) return;
    if (isa<Argument>(value) || (instruction && !region_.contains(instruction)))
      region_.captured.insert(value);
  }

  void collect_live_out() {
    for (BasicBlock* block : region_.blocks)
      for (Instruction& instruction : *block)
        if (any_of(instruction.users(),
                   [&](User* user) { return !region_.contains(cast<Instruction>(user)); }))
          region_.live_out.insert(&instruction);
  }

  LoopRegion& region_;
  Loop& loop_;
  FunctionAnalyses& analyses_;
};

bool is_lifetime_marker(const Instruction& instruction) {
  auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

// True if `instruction` gives every byte of `alloca` a value.
bool Describe::overwrites(const Instruction& instruction, const AllocaInst& alloca) const {
  const DataLayout& layout = region_.function->getDataLayout();
  std::optional<TypeSize> size = alloca.getAllocationSize(layout);
  if (!size || size->isScalable()) return false;
  if (auto* store = dyn_cast<StoreInst>(&instruction))
    return store->getPointerOperand() == &alloca &&
           layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue() >=
               size->getFixedValue();
  if (auto* memory = dyn_cast<MemIntrinsic>(&instruction)) {
    auto* length = dyn_cast<ConstantInt>(memory->getLength());
    auto* transfer = dyn_cast<MemTransferInst>(memory);
    return length && memory->getRawDest() == &alloca && length->getZExtValue() >= size->getFixedValue() &&
           !(transfer && transfer->getRawSource() == &alloca);
  }
  auto* call = dyn_cast<CallBase>(&instruction);
  return call && call->arg_size() > 0 && call->hasStructRetAttr() && call->getArgOperand(0) == &alloca;
}

// Collects everything that uses the address, through arithmetic on it too. `escapes` is set when the address
// may be kept somewhere beyond the use. False if a use lies outside the loop (lifetime markers apart).
bool Describe::uses_stay_inside(AllocaInst& alloca, SmallVectorImpl<Instruction*>& uses,
                                bool& escapes) const {
  SmallVector<Value*, 16> work{&alloca};
  SmallPtrSet<Value*, 16> seen;
  while (!work.empty()) {
    Value* pointer = work.pop_back_val();
    for (Use& use : pointer->uses()) {
      auto* user = cast<Instruction>(use.getUser());
      if (!region_.contains(user)) {
        if (!is_lifetime_marker(*user)) return false;
        continue;
      }
      bool first = seen.insert(user).second;
      if (first) uses.push_back(user);
      if (isa<GetElementPtrInst>(user) || isa<CastInst>(user) || isa<PHINode>(user) ||
          isa<SelectInst>(user)) {
        if (first) work.push_back(user);
        continue;
      }
      auto* call = dyn_cast<CallBase>(user);
      bool kept_here =
          isa<LoadInst>(user) || isa<ICmpInst>(user) || isa<MemIntrinsic>(user) ||
          is_lifetime_marker(*user) ||
          (isa<StoreInst>(user) && use.getOperandNo() == StoreInst::getPointerOperandIndex()) ||
          (call && call->isArgOperand(&use) && call->doesNotCapture(call->getArgOperandNo(&use)));
      escapes |= !kept_here;
    }
    if (uses.size() > 4096) return false;
  }
  return true;
}

// Memory of one iteration: either the language ends its life with the iteration (lifetime.start before every
// other use), or it is written as a whole before any other use and nobody keeps its address.
bool Describe::is_local(AllocaInst& alloca) const {
  SmallVector<Instruction*, 32> uses;
  bool escapes = false;
  if (!alloca.isStaticAlloca() || !uses_stay_inside(alloca, uses, escapes) || uses.empty()) return false;
  for (Instruction* first : uses) {
    auto* intrinsic = dyn_cast<IntrinsicInst>(first);
    bool starts = intrinsic && intrinsic->getIntrinsicID() == Intrinsic::lifetime_start;
    if (!starts && (escapes || !overwrites(*first, alloca))) continue;
    if (all_of(uses, [&](Instruction* use) {
          // Addresses may be computed early; only what they are used for counts.
          bool address = isa<GetElementPtrInst>(use) || isa<CastInst>(use);
          return use == first || address || (is_lifetime_marker(*use) && use != first) ||
                 analyses_.dominators.dominates(first, use);
        }))
      return true;
  }
  return false;
}

void Describe::collect_local() {
  for (Instruction& instruction : region_.function->getEntryBlock())
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction); alloca && is_local(*alloca))
      region_.local.insert(alloca);
}

} // namespace

std::optional<StringRef> canonicalise_loop(BasicBlock& header) {
  Function& function = *header.getParent();
  {
    FunctionAnalyses analyses(function);
    Loop* loop = analyses.loops.getLoopFor(&header);
    if (!loop || loop->getHeader() != &header) return "loop-not-simple";
    if (auto code = refuse_loop(function, *loop)) return code;
    join_backedges(header, *loop);
  }
  {
    FunctionAnalyses analyses(function);
    Loop* loop = analyses.loops.getLoopFor(&header);
    simplifyLoop(loop, &analyses.dominators, &analyses.loops, nullptr, &analyses.assumptions, nullptr, false);
  }
  FunctionAnalyses analyses(function);
  Loop* loop = analyses.loops.getLoopFor(&header);
  if (!loop || loop->getHeader() != &header || !loop->isLoopSimplifyForm()) return "loop-not-simple";
  cut_landing_pads(*loop);
  return std::nullopt;
}

LoopRegion describe_region(BasicBlock& header, FunctionAnalyses& analyses) {
  Loop& loop = *analyses.loops.getLoopFor(&header);
  LoopRegion region;
  region.function = header.getParent();
  region.preheader = loop.getLoopPreheader();
  region.header = &header;
  region.latch = loop.getLoopLatch();
  Describe(region, loop, analyses).run();
  return region;
}

} // namespace heddle

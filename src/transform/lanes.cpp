#include "transform/lanes.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace heddle {

namespace {

bool can_run_in_lanes(const Loop& loop, const CallInst& mark) {
  constexpr size_t most_instructions = 200;
  size_t instructions = 0;
  if (!loop.isInnermost()) return false;
  for (const BasicBlock* block : loop.blocks()) {
    instructions += block->size();
    if (block->isEHPad() || isa<IndirectBrInst, CallBrInst>(block->getTerminator())) return false;
    for (const Instruction& instruction : *block)
      if (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction) && &instruction != &mark)
        return false;
  }
  SmallVector<BasicBlock*, 4> exits;
  loop.getUniqueExitBlocks(exits);
  return instructions <= most_instructions && !exits.empty() &&
         none_of(exits, [](const BasicBlock* exit) { return exit->isEHPad(); });
}

// Can each of its ways out be left away?
bool has_plain_exits(const Loop& loop) {
  SmallVector<BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  return all_of(exiting, [](const BasicBlock* block) {
    auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    return branch && branch->isConditional();
  });
}

// How many more times a packet goes round, where that is known in front of the loop: as code in a block of its own.
void count_rounds(LaneLoop& made, Loop& loop, DominatorTree& dominators, LoopInfo& loops) {
  if (!has_plain_exits(loop)) return;
  Function& function = *made.header->getParent();
  AssumptionCache assumptions(function);
  TargetLibraryInfoImpl library_of(Triple(function.getParent()->getTargetTriple()));
  TargetLibraryInfo library(library_of);
  ScalarEvolution evolution(function, library, assumptions, dominators, loops);
  const SCEV* rounds = evolution.getBackedgeTakenCount(&loop);
  IntegerType* word = Type::getInt64Ty(function.getContext());
  SCEVExpander expander(evolution, function.getDataLayout(), "rounds");
  Instruction* end = made.count->getTerminator();
  if (isa<SCEVCouldNotCompute>(rounds) || evolution.getTypeSizeInBits(rounds->getType()) > 64 ||
      !expander.isSafeToExpandAt(rounds, end))
    return;
  Value* expanded = expander.expandCodeFor(evolution.getNoopOrZeroExtend(rounds, word), word, end);
  // A use, which keeps what it is made of from the frames.
  made.rounds = cast<Instruction>(IRBuilder<>(end).CreateFreeze(expanded));
}

CallInst* move_copy(CallInst& mark, BasicBlock& block) {
  auto* copy = cast<CallInst>(mark.clone());
  copy->insertInto(&block, block.getTerminator()->getIterator());
  return copy;
}

// A packet that comes back to the front of the loop is in the midst of it. Until all is concluded about the loop, what it begins with is the
// result of a function that nobody knows anything of, and not what it begins with at first.
CallInst* make_unknown(Value* first, Instruction& before) {
  auto* type = FunctionType::get(first->getType(), {first->getType()}, false);
  auto* unknown = Function::Create(type, GlobalValue::ExternalLinkage, "heddle.unknown", before.getModule());
  return IRBuilder<>(&before).CreateCall(unknown, {first});
}

Instruction* make_known(CallInst& state) {
  auto* known = cast<Instruction>(IRBuilder<>(&state).CreateFreeze(state.getArgOperand(0), "state"));
  Function* unknown = state.getCalledFunction();
  state.replaceAllUsesWith(known);
  state.eraseFromParent();
  unknown->eraseFromParent();
  return known;
}

// A place to wait in front of the loop, and one behind each way out.
LaneLoop surround(Loop& loop, const LaneMark& of, DominatorTree& dominators, LoopInfo& loops) {
  LaneLoop made;
  made.lanes = of.lanes;
  BasicBlock* before = InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, false);
  if (!before) return made;
  formDedicatedExitBlocks(&loop, &dominators, &loops, nullptr, false);
  if (!loop.hasDedicatedExits()) return made;
  formLCSSA(loop, dominators, &loops, nullptr);
  made.header = loop.getHeader();
  made.entry = SplitEdge(before, made.header, &dominators, &loops);
  for (PHINode& phi : made.header->phis()) {
    auto* state = make_unknown(phi.getIncomingValueForBlock(made.entry), *made.entry->getTerminator());
    made.state.push_back(state);
    phi.setIncomingValueForBlock(made.entry, state);
  }
  made.mark = move_copy(*of.wait, *made.entry);
  made.count = SplitEdge(made.entry, made.header, &dominators, &loops);
  count_rounds(made, loop, dominators, loops);
  for (Instruction*& state : made.state)
    state = make_known(*cast<CallInst>(state));
  SmallVector<BasicBlock*, 4> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock* exit : exits) {
    SplitBlock(exit, exit->getFirstInsertionPt(), &dominators, &loops);
    made.exits.push_back(move_copy(*of.wait, *exit));
  }
  append_range(made.blocks, loop.blocks());
  return made;
}

class LaneMaker {
public:
  LaneMaker(const LanePass& pass, unsigned lanes, std::vector<AllocaInst*>& places)
      : pass_(pass), loop_(*pass.loop), run_(*loop_.header->getParent()), context_(run_.getContext()),
        word_(Type::getInt64Ty(context_)), lanes_(lanes), places_(places) {}

  BasicBlock* run() {
    for (Lane& lane : lanes_)
      make_places(lane);
    for (Lane& lane : lanes_)
      lane.tested = copy_loop(lane, true);
    BasicBlock* round = loop_.rounds ? make_rounds() : lanes_.front().tested.header;
    link(&Lane::tested, round);
    drain_ = block("lanes.drain");
    for (Lane& lane : lanes_)
      refill(lane);
    drain();
    BasicBlock* fill = block("lanes.fill");
    IRBuilder<> builder(fill);
    for (Lane& lane : lanes_)
      take(builder, lane);
    builder.CreateBr(round);
    return fill;
  }

private:
  struct Iteration {
    BasicBlock* header = nullptr;
    SmallVector<BasicBlock*, 2> latches; // which go back to the header, until they are linked
  };
  struct Lane {
    AllocaInst *bit = nullptr, *frame = nullptr; // of its packet
    SmallVector<AllocaInst*, 8> state, kept;
    BasicBlock* next = nullptr; // its packet has left
    Iteration tested, sure;     // with the loop's ways out, and without
  };

  // From each lane to the next one, and from the last one to `last`.
  void link(Iteration Lane::* iteration, BasicBlock* last) {
    for (size_t k = 0; k != lanes_.size(); ++k) {
      Iteration& from = lanes_[k].*iteration;
      BasicBlock* to = k + 1 == lanes_.size() ? last : (lanes_[k + 1].*iteration).header;
      for (BasicBlock* latch : from.latches)
        latch->getTerminator()->replaceSuccessorWith(from.header, to);
    }
  }

  // As many iterations as none of the packets leaves in have no ways out. Returns the block that counts them.
  BasicBlock* make_rounds() {
    AllocaInst* left = place(word_, "lanes.rounds");
    BasicBlock *count = block("lanes.count"), *again = block("lanes.again");
    for (Lane& lane : lanes_)
      lane.sure = copy_loop(lane, false);
    link(&Lane::sure, again);
    IRBuilder<> builder(count);
    Value* rounds = nullptr;
    for (Lane& lane : lanes_) {
      Value* of_lane = rounds_of(builder, lane);
      rounds = rounds ? builder.CreateBinaryIntrinsic(Intrinsic::umin, rounds, of_lane) : of_lane;
    }
    builder.CreateStore(rounds, left);
    BasicBlock *sure = lanes_.front().sure.header, *tested = lanes_.front().tested.header;
    builder.CreateCondBr(builder.CreateIsNull(rounds), tested, sure);
    builder.SetInsertPoint(again);
    Value* fewer = builder.CreateSub(builder.CreateLoad(word_, left), builder.getInt64(1));
    builder.CreateStore(fewer, left);
    builder.CreateCondBr(builder.CreateIsNull(fewer), tested, sure,
                         MDBuilder(context_).createBranchWeights(1, 100));
    return count;
  }

  // How often the lane's packet is sure to go round.
  Value* rounds_of(IRBuilder<>& builder, const Lane& lane) {
    ValueToValueMapTy copies;
    load_places(builder, lane, copies);
    for (auto [state, phi] : zip_equal(loop_.state, loop_.header->phis()))
      copies[state] = copies[&phi];
    for (Instruction& instruction : *loop_.count) {
      if (instruction.isTerminator()) break;
      Instruction* copy = builder.Insert(instruction.clone());
      RemapInstruction(copy, copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      copies[&instruction] = copy;
    }
    return copies[loop_.rounds];
  }

  // What the lane's packet has for the header's phis, and for values from before the loop.
  void load_places(IRBuilder<>& builder, const Lane& lane, ValueToValueMapTy& copies) {
    for (auto [phi, place] : zip_equal(loop_.header->phis(), lane.state))
      copies[&phi] = builder.CreateLoad(phi.getType(), place, phi.getName());
    for (auto [field, place] : zip_equal(pass_.kept, lane.kept))
      copies[field.value] = builder.CreateLoad(field.value->getType(), place, field.value->getName());
    for (const FrameField& variable : pass_.variables)
      copies[variable.value] = address(builder, lane, variable.offset);
  }

  BasicBlock* block(const Twine& name) { return BasicBlock::Create(context_, name, &run_); }

  AllocaInst* place(Type* type, const Twine& name) {
    BasicBlock& entry = run_.getEntryBlock();
    IRBuilder<> builder(&entry, entry.begin());
    places_.push_back(builder.CreateAlloca(type, nullptr, name));
    return places_.back();
  }

  void make_places(Lane& lane) {
    lane.bit = place(word_, "lane.bit");
    lane.frame = place(PointerType::get(context_, 0), "lane.frame");
    for (const FrameField& field : pass_.state)
      lane.state.push_back(place(field.value->getType(), "lane.state"));
    for (const FrameField& field : pass_.kept)
      lane.kept.push_back(place(field.value->getType(), "lane.kept"));
    lane.next = block("lane.next");
  }

  Value* address(IRBuilder<>& builder, const Lane& lane, uint64_t offset) {
    Value* frame = builder.CreateLoad(builder.getPtrTy(), lane.frame);
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame, offset);
  }

  // The lowest packet that has no lane comes into this one.
  void take(IRBuilder<>& builder, const Lane& lane) {
    Value* rest = builder.CreateLoad(word_, pass_.rest);
    builder.CreateStore(builder.CreateAnd(rest, builder.CreateNeg(rest)), lane.bit);
    builder.CreateStore(builder.CreateAnd(rest, builder.CreateSub(rest, builder.getInt64(1))), pass_.rest);
    Value* number = builder.CreateIntrinsic(Intrinsic::cttz, {word_}, {rest, builder.getTrue()});
    builder.CreateStore(frame_of(builder, number), lane.frame);
    auto load = [&](ArrayRef<FrameField> fields, ArrayRef<AllocaInst*> places) {
      for (auto [field, place] : zip_equal(fields, places))
        builder.CreateStore(builder.CreateAlignedLoad(field.value->getType(),
                                                      address(builder, lane, field.offset), field.alignment),
                            place);
    };
    load(pass_.state, lane.state);
    load(pass_.kept, lane.kept);
  }

  Value* frame_of(IRBuilder<>& builder, Value* number) {
    return builder.CreateInBoundsGEP(ArrayType::get(builder.getInt8Ty(), pass_.stride), pass_.frames, number);
  }

  // An iteration for the lane's packet.
  Iteration copy_loop(Lane& lane, bool tested) {
    ValueToValueMapTy copies;
    SmallVector<BasicBlock*, 16> copied;
    auto copy = [&](BasicBlock* block) {
      copied.push_back(CloneBasicBlock(block, copies, ".lane", &run_));
      copies[block] = copied.back();
    };
    for (BasicBlock* block : loop_.blocks)
      copy(block);
    for (CallInst* exit : loop_.exits)
      if (tested) copy(exit->getParent());
    Iteration iteration;
    iteration.header = cast<BasicBlock>(copies[loop_.header]);
    SmallVector<PHINode*, 8> phis;
    for (PHINode& phi : loop_.header->phis())
      phis.push_back(cast<PHINode>(copies[&phi]));
    IRBuilder<> builder(iteration.header, iteration.header->getFirstInsertionPt());
    load_places(builder, lane, copies);
    for (PHINode* phi : phis)
      phi->eraseFromParent();
    if (!tested) leave_out_exits(copies);
    remapInstructionsInBlocks(copied, copies);
    for (BasicBlock* latch : predecessors(loop_.header)) {
      if (latch == loop_.count) continue;
      auto* copy_of_latch = cast<BasicBlock>(copies[latch]);
      if (is_contained(iteration.latches, copy_of_latch)) continue;
      iteration.latches.push_back(copy_of_latch);
      builder.SetInsertPoint(copy_of_latch->getTerminator());
      for (auto [phi, place] : zip_equal(loop_.header->phis(), lane.state)) {
        Value* next = phi.getIncomingValueForBlock(latch);
        auto found = copies.find(next);
        builder.CreateStore(found == copies.end() ? next : static_cast<Value*>(found->second), place);
      }
    }
    if (!tested) return iteration;
    for (BasicBlock* block : loop_.blocks)
      expect_to_stay(*cast<BasicBlock>(copies[block])->getTerminator(), copies);
    for (auto [exit, goes] : zip_equal(loop_.exits, pass_.exits))
      leave(lane, *cast<CallInst>(copies[exit]), goes, copies);
    return iteration;
  }

  void leave_out_exits(ValueToValueMapTy& copies) {
    SmallPtrSet<const BasicBlock*, 16> inside(loop_.blocks.begin(), loop_.blocks.end());
    for (BasicBlock* block : loop_.blocks)
      for (BasicBlock* target : successors(block))
        if (!inside.contains(target)) {
          auto* branch = cast<BranchInst>(block->getTerminator());
          BasicBlock* stays = branch->getSuccessor(branch->getSuccessor(0) == target ? 1 : 0);
          Instruction* copy = cast<BasicBlock>(copies[block])->getTerminator();
          BranchInst::Create(stays, copy->getIterator());
          copy->eraseFromParent();
        }
  }

  // Packets leave seldom: what only they need there is to stay out of registers.
  void expect_to_stay(Instruction& end, ValueToValueMapTy& copies) {
    SmallVector<uint32_t, 4> weights;
    for (BasicBlock* target : successors(&end))
      weights.push_back(
          any_of(loop_.exits, [&](CallInst* exit) { return copies[exit->getParent()] == target; }) ? 1
                                                                                                   : 1000);
    if (weights.size() > 1 && is_contained(weights, 1U))
      end.setMetadata(LLVMContext::MD_prof, MDBuilder(context_).createBranchWeights(weights));
  }

  // The lane's packet has left the loop: it waits behind it.
  void leave(const Lane& lane, CallInst& mark, const LanePass::Exit& exit, ValueToValueMapTy& copies) {
    BasicBlock* block = mark.getParent();
    block->getTerminator()->eraseFromParent();
    IRBuilder<> builder(block);
    for (const FrameField& result : exit.results)
      builder.CreateAlignedStore(copies[result.value], address(builder, lane, result.offset),
                                 result.alignment);
    if (exit.label)
      builder.CreateAlignedStore(builder.getInt32(*exit.label), address(builder, lane, pass_.label_offset),
                                 Align(4));
    Value* bit = builder.CreateLoad(word_, lane.bit);
    builder.CreateStore(builder.CreateOr(builder.CreateLoad(word_, exit.waiting), bit), exit.waiting);
    builder.CreateStore(builder.CreateXor(builder.CreateLoad(word_, pass_.waiting), bit), pass_.waiting);
    builder.CreateBr(lane.next);
    mark.eraseFromParent();
  }

  void refill(Lane& lane) {
    BasicBlock *another = block("lane.refill"), *dry = block("lane.dry");
    IRBuilder<> builder(lane.next);
    builder.CreateCondBr(builder.CreateIsNull(builder.CreateLoad(word_, pass_.rest)), dry, another);
    builder.SetInsertPoint(another);
    take(builder, lane);
    builder.CreateBr(lane.tested.header);
    builder.SetInsertPoint(dry);
    builder.CreateStore(frame_of(builder, builder.getInt64(pass_.spare)), lane.frame);
    builder.CreateBr(drain_);
  }

  // Those that have not left go on waiting, with what their next iteration begins with. The lane that has run dry has a spare frame.
  void drain() {
    IRBuilder<> builder(drain_);
    for (Lane& lane : lanes_)
      for (auto [field, place] : zip_equal(pass_.state, lane.state))
        builder.CreateAlignedStore(builder.CreateLoad(field.value->getType(), place),
                                   address(builder, lane, field.offset), field.alignment);
    builder.CreateBr(pass_.dry);
  }

  const LanePass& pass_;
  const LaneLoop& loop_;
  Function& run_;
  LLVMContext& context_;
  IntegerType* word_;
  std::vector<Lane> lanes_;
  std::vector<AllocaInst*>& places_;
  BasicBlock* drain_ = nullptr;
};

} // namespace

std::vector<LaneLoop> surround_lane_loops(Function& run, ArrayRef<LaneMark> marks) {
  DominatorTree dominators(run);
  LoopInfo loops(dominators);
  std::vector<LaneLoop> found;
  for (const LaneMark& mark : marks) {
    Loop* loop = loops.getLoopFor(mark.wait->getParent());
    if (loop && can_run_in_lanes(*loop, *mark.wait))
      if (LaneLoop made = surround(*loop, mark, dominators, loops); made.entry)
        found.push_back(std::move(made));
    mark.wait->eraseFromParent();
  }
  return found;
}

BasicBlock* make_lanes(const LanePass& pass, unsigned lanes, std::vector<AllocaInst*>& places) {
  return LaneMaker(pass, lanes, places).run();
}

} // namespace heddle

// Interleaved bodies (G-Opt, section 3.2; docs/hide.md).
//
// Problem. A packet that waits for memory should step aside in less time than the memory takes, about 50 to 200 cycles shared by
// all that are in flight. A site with a stack of its own (site.cpp) costs 8 cycles, and a cache line or two for its frame.
//
// Alternatives. (a) G-Opt's: an array of labels, one for each packet, and at each wait a jump through the next packet's label.
// Every jump is an indirect one, and mispredicted where packets differ. (b) Coroutines: a call and an indirect jump per step,
// and a frame on the heap. (c) For each wait the set of the packets that stand there; a *pass* resumes one after the other.
//
// Choice: (c). A set is a word, a packet a bit of it: suspending is an `or`, finding the next one a count of trailing zeros, and
// sets stay in packet order without further work. Within a pass all packets resume at the same place, so the jump back to the
// loop is predicted, and a pass over a straight piece of code is what group prefetching writes by hand. Measured (docs/hide.md),
// 1.2 to 1.6 times the speed of (a) where tables are in the cache and jumps count, and no slower anywhere.
//
// The body's blocks are copied once for each pass; the beginning of packets is one as well. A pass's copy is
//
//     next:    if no packet is left in the pass: choose the next pass, or end the batch
//              packet = the lowest bit; frame = frames + packet * size; to where its packets go on
//     resume:  load what is live from the frame; the body's code from here
//     a wait k on the way:  store what is live into the frame; waiting[k] |= packet; to next
//                           (of the pass's own wait: the packet stays in its set, and those that leave are taken out)
//     return v on the way:  if v is not 0, no other packet begins; to next
//
// Where no stage behind the first is ordered, a packet that ends makes room for another one, so that many wait until the loop's last packets, however long
// each takes. A batch is then of HEDDLE_INTERLEAVED_BATCH packets, so that none gets further away from the slowest. Others begin
//
// - at once, where there is one wait, or lanes: `return` goes to the beginning of the body, in the pass's own copy and with the same frame. So a new
//   packet's first load is under way while the next one of the pass runs (AMAC: Kocberber, Falsafi and Grot, VLDB 2015);
// - many together, when seven of eight have ended. Packets that began together wait in the same turn of a loop together, and mostly
//   leave it in the same one, so its branches are predicted: which is what group prefetching has over AMAC (docs/hide.md).
//
// and what of the body lies behind other waits is not reached there, and goes. So each pass is a loop of its own, in which the optimiser
// sees all that happens between two waits, and nothing has to remember which pass runs.
//
// What is in a frame: values that are live across some wait, each in a field, shared by values that are never live at one wait
// together; variables in memory (allocas). Not what is the same for all packets: the loop's captured values are loaded once, and what each packet
// loads or makes of them is in one variable for all (uniform_values.h). Nor what is quickly made of the rest (remade_values.h).
// A value that was loaded from its field and has not changed is not stored again.
//
// Order. A pass runs in packet order. Waits before an ordered stage share one set, and all packets are there before its pass
// begins, because passes of lower stages come first: so packets pass ordered stages in packet order, as in the runtime. Within a
// stage that is not ordered, passes take turns.
//
// match: bodies that the plan interleaves. legal: the plan's promise (plan/hide.cpp); nothing of the runtime's is needed, no
// exception leaves the body, and what it calls is its own affair. A batch of one packet, or staging switched off, runs a copy of
// the body that has no waits. profitable: the plan's. rewrite: below. count: the functions made.
#include "transform/interleave.h"

#include "program/expensive.h"
#include "program/program.h"
#include "runtime/layout.h"
#include "transform/frame_layout.h"
#include "transform/lanes.h"
#include "transform/live_values.h"
#include "transform/remade_values.h"
#include "transform/run_counts.h"
#include "transform/shared_values.h"
#include "transform/uniform_values.h"
#include "transform/wait_marks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <map>
#include <tuple>

using namespace llvm;

namespace heddle {

namespace {

constexpr unsigned most_packets = 64;        // bits of a set
constexpr unsigned most_of_beginnings = 400; // instructions, for all copies of the body's beginning together

// Where packets step aside. Its block ends behind the mark, with a jump to where they go on.
struct Wait {
  CallInst* mark = nullptr;
  unsigned stage = 0, number = 0;                      // the latter: in the order of the code
  SetVector<Instruction*> live;                        // across it, and kept in the frame
  SmallVector<Instruction*, 4> remade;                 // of these, where packets go on
  const LaneLoop *before = nullptr, *behind = nullptr; // the loop that packets then run in lanes, or did
};

// What one pass resumes: the packets at one wait, or at all of an ordered stage. The first begins packets.
struct Pass {
  unsigned stage = 0;
  SmallVector<unsigned, 2> waits; // indices
  AllocaInst* waiting = nullptr;  // the set
  bool returns =
      false; // packets come from this pass to its own waits: its set loses only those that go elsewhere
  const LaneLoop* loop = nullptr; // packets run this loop in lanes, if there are enough of them
  BasicBlock *begin = nullptr, *next = nullptr, *ends = nullptr;
  Value *frame = nullptr, *bit = nullptr; // of the packet that runs
};

class Interleaver {
public:
  Interleaver(Function& body, const BodyPlan& plan)
      : body_(body), plan_(plan), module_(*body.getParent()), layout_(module_.getDataLayout()),
        context_(body.getContext()), word_(Type::getInt64Ty(context_)), status_(Type::getInt32Ty(context_)),
        frame_(layout_) {}

  Expected<Function*> run() {
    CallBase* call = call_of_runtime();
    if (!call) return misfit("it is not run by a loop");
    make_plain();
    move_blocks();
    share_captured(*own_env_, *entry_);
    share_globals(*run_, *entry_);
    find_waits();
    lay_out();
    make_passes();
    make_scheduler();
    for (Pass& pass : passes_)
      copy_body(pass);
    erase_template();
    InlineFunctionInfo info;
    if (InlineFunction(*plain_call_, info).isSuccess()) plain_->eraseFromParent();
    promote();
    drop_stores_of_unchanged();
    replace(*call);
    return run_;
  }

private:
  Error misfit(const Twine& what) const {
    return diagnose(plan_.source + " cannot be interleaved: " + what,
                    "make the plan again with `heddle plan`", plan_.body);
  }

  CallBase* call_of_runtime() const {
    for (User* user : body_.users())
      if (auto* call = dyn_cast<CallBase>(user))
        if (Function* callee = call->getCalledFunction(); callee && callee->getName() == "heddle_run_loop")
          return call;
    return nullptr;
  }

  // A copy without waits, for batches of one.
  void make_plain() {
    ValueToValueMapTy copies;
    plain_ = CloneFunction(&body_, copies);
    plain_->setName(body_.getName() + ".plain");
    for (Instruction& instruction : make_early_inc_range(instructions(*plain_)))
      if (is_wait(instruction) || is_prefetch_of_hidden(instruction)) instruction.eraseFromParent();
    plain_->removeFnAttr(Attribute::NoInline);
  }

  // The body's blocks become the pattern of what the passes run.
  void move_blocks() {
    auto* type = FunctionType::get(status_, {PointerType::get(context_, 0), word_}, false);
    run_ = Function::Create(type, GlobalValue::InternalLinkage, body_.getName() + ".interleaved", &module_);
    run_->setAttributes(AttributeList::get(context_, body_.getAttributes().getFnAttrs(), {}, {}));
    forget_conclusions(*run_);
    run_->removeFnAttr(Attribute::NoInline);
    if (body_.hasPersonalityFn()) run_->setPersonalityFn(body_.getPersonalityFn());
    entry_ = BasicBlock::Create(context_, "entry", run_);
    run_->splice(run_->end(), &body_);
    for (CallInst* wait : waits_in(*run_)) { // inlining has joined blocks
      BasicBlock* own = wait->getParent()->splitBasicBlock(wait->getIterator());
      own->splitBasicBlock(std::next(wait->getIterator()));
    }
    find_lane_loops();
    for (BasicBlock& block : drop_begin(*run_))
      pattern_.push_back(&block);
    forget_scopes(*run_);
    IRBuilder<> builder(entry_);
    env_bytes_ = body_.getParamDereferenceableBytes(0);
    own_env_ = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), env_bytes_), nullptr, "env");
    own_env_->setAlignment(body_.getParamAlign(0).valueOrOne());
    builder.CreateMemCpy(own_env_, own_env_->getAlign(), run_->getArg(0), own_env_->getAlign(), env_bytes_);
    body_.getArg(0)->replaceAllUsesWith(own_env_);
  }

  // While it lives, the pattern has a way in, without which no block of it would be reached.
  class WayIn {
  public:
    WayIn(BasicBlock& entry, BasicBlock& begin) : jump_(BranchInst::Create(&begin, &entry)) {}
    ~WayIn() { jump_->eraseFromParent(); }
    WayIn(const WayIn&) = delete;

  private:
    BranchInst* jump_;
  };

  void find_lane_loops() {
    std::vector<LaneMark> marks;
    for (CallInst* wait : waits_in(*run_))
      if (unsigned lanes = lanes_of_wait(*wait)) marks.push_back({wait, lanes});
    if (marks.empty()) return;
    WayIn way_in(*entry_, *entry_->getNextNode());
    lane_loops_ = surround_lane_loops(*run_, marks);
  }

  void find_waits() {
    LiveValues live(pattern_);
    for (CallInst* mark : waits_in(*run_)) {
      Wait& wait = waits_.emplace_back();
      wait.mark = mark;
      wait.number = unsigned(waits_.size());
      wait.stage = stage_of_wait(*mark);
      for (const LaneLoop& loop : lane_loops_) {
        if (loop.mark == mark) wait.before = &loop;
        if (is_contained(loop.exits, mark)) wait.behind = &loop;
      }
      for (Instruction* value : live.at_end(*mark->getParent()))
        if (!isa<AllocaInst>(value)) wait.live.insert(value);
    }
    sort(waits_, [](const Wait& a, const Wait& b) {
      return std::tie(a.stage, a.number) < std::tie(b.stage, b.number);
    });
    WayIn way_in(*entry_, *pattern_.front());
    const UniformValues uniform = uniform_values(*run_, *entry_, pattern_);
    for (Wait& wait : waits_)
      spare_frame(wait, uniform);
  }

  // Lanes find all that they need in the frames.
  void spare_frame(Wait& wait, const UniformValues& uniform) {
    carried_.insert(wait.live.begin(), wait.live.end());
    if (wait.before || wait.behind) return;
    wait.live.remove_if([&](const Instruction* value) { return uniform.contains(value); });
    wait.remade = take_remade(wait.live, [&](const Value& value) {
      const auto* instruction = dyn_cast<Instruction>(&value);
      return !instruction || instruction->getParent() == entry_ || uniform.contains(instruction);
    });
    for (Instruction* made : wait.remade)
      for (Value* operand : made->operands())
        if (auto* value = dyn_cast<Instruction>(operand); value && uniform.contains(value))
          carried_.insert(value);
    for (Instruction* value : carried_)
      if (uniform.contains(value) && !same_for_all_.contains(value))
        same_for_all_[value] = place(value->getType(), value->getName());
  }

  void lay_out() {
    for (Instruction& instruction : *pattern_.front())
      if (auto* variable = dyn_cast<AllocaInst>(&instruction)) {
        variables_.push_back(variable);
        frame_.add_memory(*variable, *variable->getAllocationSize(layout_), variable->getAlign());
      }
    for (unsigned w = 0; w != waits_.size(); ++w)
      for (Instruction* value : waits_[w].live) {
        BitVector& at = live_[value];
        at.resize(unsigned(waits_.size()));
        at.set(w);
      }
    find_stored_early();
    for (auto& [value, at] : live_)
      frame_.add(*value, at, stored_early_.contains(value));
    frame_.finish();
  }

  // A value that is made outside of the loop in which a packet waits is stored where it is made, once.
  void find_stored_early() {
    WayIn way_in(*entry_, *pattern_.front());
    DominatorTree dominators(*run_);
    LoopInfo loops(dominators);
    for (auto& [value, at] : live_) {
      const unsigned depth = loops.getLoopDepth(value->getParent());
      const bool deeper = all_of(
          at.set_bits(), [&](unsigned w) { return loops.getLoopDepth(waits_[w].mark->getParent()) > depth; });
      if (deeper && !isa<InvokeInst>(value)) stored_early_.insert(value);
    }
  }

  bool is_ordered(unsigned stage) const {
    return stage >= plan_.stages.size() || plan_.stages[stage].ordered;
  }

  void make_passes() {
    passes_.emplace_back();
    for (unsigned w = 0; w != waits_.size(); ++w) {
      const unsigned p = pass_for(waits_[w]);
      passes_[p].waits.push_back(w);
      pass_of_.push_back(p);
    }
    overtakes_ = none_of(waits_, [&](const Wait& wait) { return is_ordered(wait.stage); });
    refills_ = overtakes_ && can_refill();
    tops_up_ = overtakes_ && !refills_ && lane_loops_.empty();
    const bool labels = any_of(passes_, [](const Pass& pass) { return pass.waits.size() > 1; });
    label_offset_ = alignTo(frame_.size(), Align(4));
    const uint64_t used = labels ? label_offset_ + 4 : frame_.size();
    stride_ = alignTo(used, std::max(frame_.alignment(), Align(8)));
    IRBuilder<> builder(entry_);
    for (Pass& pass : drop_begin(passes_)) {
      pass.waiting = place(word_, "waiting");
      pass.returns = returns_to_itself(pass);
    }
    for (AllocaInst*& count : counts_.places)
      count = place(word_, "count");
    in_pass_ = place(word_, "in.pass");
    left_ = place(word_, "left");
    free_ = place(word_, "free");
    result_ = place(status_, "result");
    const uint64_t frames = most_packets + (lane_loops_.empty() ? 0 : 1); // lanes take a spare one
    frames_ = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), stride_ * frames), nullptr, "frames");
    frames_->setAlignment(std::max(frame_.alignment(), Align(64)));
  }

  // One for each ordered stage, one for all ways out of a loop with lanes, and one for each other wait.
  unsigned pass_for(const Wait& wait) {
    if (is_ordered(wait.stage) && passes_.back().stage == wait.stage) return unsigned(passes_.size() - 1);
    if (wait.behind)
      for (unsigned w = 0; w != pass_of_.size(); ++w)
        if (waits_[w].behind == wait.behind) return pass_of_[w];
    Pass& pass = passes_.emplace_back();
    pass.stage = wait.stage;
    pass.loop = wait.before;
    return unsigned(passes_.size() - 1);
  }

  // Whether packets begin where others end.
  bool can_refill() const {
    if (waits_.size() > 1 && lane_loops_.empty()) return false;
    size_t instructions = 0;
    for (const BasicBlock* block : run_from(pattern_.front()))
      instructions += block->size();
    return instructions * (passes_.size() - 1) <= most_of_beginnings;
  }

  // The pattern's blocks from there to the next waits.
  SmallPtrSet<const BasicBlock*, 16> run_from(ArrayRef<const BasicBlock*> begin) const {
    SmallPtrSet<const BasicBlock*, 16> waiting, seen;
    for (const Wait& wait : waits_)
      waiting.insert(wait.mark->getParent());
    SmallVector<const BasicBlock*, 16> work(begin);
    while (!work.empty()) {
      const BasicBlock* block = work.pop_back_val();
      if (seen.insert(block).second && !waiting.contains(block)) append_range(work, successors(block));
    }
    return seen;
  }

  bool returns_to_itself(const Pass& pass) const {
    if (pass.loop) return true; // those in lanes go on waiting when these run dry
    SmallVector<const BasicBlock*, 8> begin;
    for (unsigned w : pass.waits)
      append_range(begin, successors(waits_[w].mark->getParent()));
    if (refills_) begin.push_back(pattern_.front());
    const auto reached = run_from(begin);
    return any_of(pass.waits, [&](unsigned w) { return reached.contains(waits_[w].mark->getParent()); });
  }

  // A variable of the scheduler's, until it is promoted.
  AllocaInst* place(Type* type, const Twine& name) {
    IRBuilder<> builder(entry_, entry_->begin());
    places_.push_back(builder.CreateAlloca(type, nullptr, name));
    return places_.back();
  }

  BasicBlock* block(const Twine& name) { return BasicBlock::Create(context_, name, run_); }

  Value* field(IRBuilder<>& builder, const Pass& pass, uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pass.frame, offset);
  }

  // What a batch does but for the body.
  void make_scheduler() {
    IRBuilder<> builder(entry_);
    BasicBlock *finish = block("finish"), *setup = block("setup"), *plain = block("plain"),
               *batch_ends = block("batch.ends"), *count = block("count"), *told = block("told");
    auto* setting = cast<GlobalVariable>(module_.getOrInsertGlobal("heddle_batch_limit", status_));
    setting->setVisibility(GlobalValue::HiddenVisibility);
    LoadInst* limit = builder.CreateAlignedLoad(status_, setting, Align(4), "limit");
    limit->setAtomic(AtomicOrdering::Monotonic);
    Value* several = builder.CreateICmpUGT(limit, builder.getInt32(1));
    auto* fewest = cast<GlobalVariable>(module_.getOrInsertGlobal("heddle_least_batch", status_));
    fewest->setVisibility(GlobalValue::HiddenVisibility);
    Value* least = builder.CreateLoad(status_, fewest, "least");
    least = builder.CreateSelect(builder.CreateICmpEQ(least, builder.getInt32(~0u)),
                                 builder.getInt32(plan_.least_batch), least);
    several =
        builder.CreateAnd(several, builder.CreateICmpUGE(run_->getArg(1), builder.CreateZExt(least, word_)));
    builder.CreateCondBr(several, setup, plain);

    builder.SetInsertPoint(plain);
    plain_call_ = builder.CreateCall(plain_, {own_env_});
    builder.CreateStore(plain_call_, result_);
    builder.CreateCondBr(builder.CreateIsNull(plain_call_), plain, told);

    builder.SetInsertPoint(setup);
    Value* some = builder.CreateICmpULT(limit, builder.getInt32(most_packets));
    Value* bits = builder.CreateShl(builder.getInt64(~uint64_t(0)), builder.CreateZExt(limit, word_));
    Value* all = builder.CreateSelect(some, builder.CreateNot(bits), builder.getInt64(~uint64_t(0)), "all");
    builder.CreateStore(builder.getInt32(0), result_);
    counts_.begin(builder);
    for (const Pass& pass : drop_begin(passes_))
      builder.CreateStore(builder.getInt64(0), pass.waiting);
    for (Pass& pass : passes_) {
      pass.begin = block("pass.begins");
      pass.next = block("next");
      pass.ends = block("pass.ends");
    }
    Value* frames = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, all, nullptr, "frames");
    BasicBlock* batch_begins = block("batch.begins");
    builder.CreateBr(batch_begins);
    builder.SetInsertPoint(batch_begins);
    builder.CreateStore(all, free_);
    builder.CreateStore(builder.CreateSub(builder.getInt64(HEDDLE_INTERLEAVED_BATCH), frames), left_);
    builder.CreateBr(passes_.front().begin);
    for (Pass& pass : passes_) {
      builder.SetInsertPoint(pass.begin);
      Value* set = builder.CreateLoad(word_, pass.waiting ? pass.waiting : free_);
      builder.CreateStore(set, in_pass_);
      if (pass.waiting) {
        if (!pass.returns) builder.CreateStore(builder.getInt64(0), pass.waiting);
        counts_.add(builder, RunCounts::Crossings, builder.CreateUnaryIntrinsic(Intrinsic::ctpop, set));
        counts_.add(builder, RunCounts::Visits, builder.getInt64(1));
      }
      builder.CreateBr(pass.next);
      builder.SetInsertPoint(pass.ends);
      if (tops_up_) top_up(builder, frames);
      builder.CreateBr(choose(passes_after(pass), batch_ends));
    }
    builder.SetInsertPoint(batch_ends);
    counts_.add(builder, RunCounts::Batches, builder.getInt64(1));
    builder.CreateCondBr(builder.CreateIsNull(builder.CreateLoad(status_, result_)), batch_begins, count);
    builder.SetInsertPoint(count);
    counts_.end(builder);
    builder.CreateBr(told);
    builder.SetInsertPoint(told);
    PHINode* one_by_one = builder.CreatePHI(status_, 2);
    one_by_one->addIncoming(builder.getInt32(1), plain);
    one_by_one->addIncoming(builder.getInt32(0), count);
    tell_of_run(builder, *run_->getArg(1), *one_by_one, *finish);
    builder.SetInsertPoint(finish);
    builder.CreateMemCpy(run_->getArg(0), own_env_->getAlign(), own_env_, own_env_->getAlign(), env_bytes_);
    builder.CreateRet(builder.CreateLoad(status_, result_));
  }

  // Where at least seven of eight frames are free, and the batch has so many packets left, packets begin in them.
  void top_up(IRBuilder<>& builder, Value* frames) {
    BasicBlock *begin = block("top.up"), *otherwise = block("no.room");
    Value* free = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, builder.CreateLoad(word_, free_));
    Value* most = builder.CreateSub(frames, builder.CreateLShr(frames, 3));
    Value* left = builder.CreateLoad(word_, left_);
    builder.CreateCondBr(
        builder.CreateAnd(builder.CreateICmpUGE(free, most), builder.CreateICmpUGE(left, free)), begin,
        otherwise);
    builder.SetInsertPoint(begin);
    builder.CreateStore(builder.CreateSub(left, free), left_);
    builder.CreateBr(passes_.front().begin);
    builder.SetInsertPoint(otherwise);
  }

  // The block that begins the first of the passes for which a packet waits, else goes to `otherwise`.
  BasicBlock* choose(ArrayRef<const Pass*> order, BasicBlock* otherwise) {
    for (const Pass* pass : reverse(order)) {
      BasicBlock* test = block("choose");
      IRBuilder<> builder(test);
      Value* set = builder.CreateLoad(word_, pass->waiting);
      builder.CreateCondBr(builder.CreateIsNotNull(set), pass->begin, otherwise);
      otherwise = test;
    }
    return otherwise;
  }

  // Those of the same stage in turn, then those of higher stages.
  SmallVector<const Pass*, 8> passes_after(const Pass& last) const {
    SmallVector<const Pass*, 8> order;
    for (const Pass& pass : drop_begin(passes_))
      if (pass.stage == last.stage && &pass > &last) order.push_back(&pass);
    for (const Pass& pass : drop_begin(passes_))
      if (pass.stage == last.stage && &pass <= &last) order.push_back(&pass);
    for (const Pass& pass : drop_begin(passes_))
      if (pass.stage > last.stage) order.push_back(&pass);
    return order;
  }

  // The next packet of the pass, and the body's code from where it goes on to where it steps aside again.
  void copy_body(Pass& pass) {
    BasicBlock* pick = block("pick");
    IRBuilder<> builder(pass.next);
    Value* rest = builder.CreateLoad(word_, in_pass_);
    builder.CreateCondBr(builder.CreateIsNull(rest), pass.ends, pick);
    builder.SetInsertPoint(pick);
    builder.CreateStore(builder.CreateAnd(rest, builder.CreateSub(rest, builder.getInt64(1))), in_pass_);
    pass.bit = builder.CreateAnd(rest, builder.CreateNeg(rest), "bit");
    Value* number = builder.CreateIntrinsic(Intrinsic::cttz, {word_}, {rest, builder.getTrue()});
    pass.frame =
        builder.CreateInBoundsGEP(ArrayType::get(builder.getInt8Ty(), stride_), frames_, number, "frame");

    ValueToValueMapTy copies;
    SmallVector<BasicBlock*, 32> copied;
    for (BasicBlock* block : pattern_) {
      copied.push_back(CloneBasicBlock(block, copies, "", run_));
      copies[block] = copied.back();
    }
    auto* beginning = cast<BasicBlock>(copies[pattern_.front()]);
    for (AllocaInst* variable : variables_) {
      cast<Instruction>(copies[variable])->eraseFromParent();
      copies[variable] = field(builder, pass, frame_.of(*variable).first);
    }
    remapInstructionsInBlocks(copied, copies);
    for (BasicBlock* block : copied)
      end_packets(*block, pass, beginning);
    std::vector<BasicBlock*> resume;
    for (unsigned w = 0; w != waits_.size(); ++w)
      resume.push_back(suspend(*cast<CallInst>(copies[waits_[w].mark]), w, pass, copies));
    std::map<Instruction*, AllocaInst*> kept; // by value of the pattern
    for (Instruction* value : carried_)
      kept[value] = keep_in_memory(*cast<Instruction>(copies[value]), *value, pass);
    for (unsigned w : pass.waits)
      reload(*resume[w], w, pass, kept);
    builder.SetInsertPoint(pick);
    enter(builder, pass, beginning, resume);
    if (pass.loop) add_lanes(pass);
  }

  // Of the packets in front of a loop as many run in lanes as there are; of fewer, half as many; the last ones one after the other.
  void add_lanes(const Pass& pass) {
    const LanePass lanes = lanes_of(pass);
    Instruction* jump = pass.begin->getTerminator();
    IRBuilder<> builder(jump);
    Value* several = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, builder.CreateLoad(word_, pass.waiting));
    for (unsigned count = pass.loop->lanes; count > 1; count /= 2) {
      BasicBlock* fewer = block("fewer");
      BasicBlock* begin = make_lanes(lanes, count, places_);
      builder.CreateCondBr(builder.CreateICmpUGE(several, builder.getInt64(count)), begin, fewer);
      builder.SetInsertPoint(fewer);
    }
    jump->moveBefore(*builder.GetInsertBlock(), builder.GetInsertBlock()->end());
  }

  LanePass lanes_of(const Pass& pass) const {
    const LaneLoop& loop = *pass.loop;
    LanePass lanes;
    lanes.loop = &loop;
    std::tie(lanes.waiting, lanes.rest, lanes.frames) = std::tie(pass.waiting, in_pass_, frames_);
    std::tie(lanes.stride, lanes.label_offset, lanes.dry) = std::tie(stride_, label_offset_, pass.ends);
    lanes.spare = most_packets;
    auto field_of = [&](Instruction* value) {
      auto [offset, alignment] = frame_.of(*value);
      return FrameField{value, offset, alignment};
    };
    for (Instruction* state : loop.state)
      lanes.state.push_back(field_of(state));
    SmallPtrSet<const BasicBlock*, 16> inside(loop.blocks.begin(), loop.blocks.end());
    for (CallInst* exit : loop.exits)
      inside.insert(exit->getParent());
    inside.insert(loop.count);
    for (Instruction* value : waits_[pass.waits.front()].live)
      if (any_of(value->users(), [&](const User* user) {
            return value->getParent() != loop.entry && inside.contains(cast<Instruction>(user)->getParent());
          }))
        lanes.kept.push_back(field_of(value));
    for (AllocaInst* variable : variables_)
      lanes.variables.push_back(field_of(variable));
    for (CallInst* exit : loop.exits) {
      const auto w =
          unsigned(find_if(waits_, [&](const Wait& wait) { return wait.mark == exit; }) - waits_.begin());
      const Pass& to = passes_[pass_of_[w]];
      LanePass::Exit& goes = lanes.exits.emplace_back();
      goes.waiting = to.waiting;
      if (to.waits.size() > 1) goes.label = w;
      for (Instruction* value : waits_[w].live)
        if (inside.contains(value->getParent())) goes.results.push_back(field_of(value));
    }
    return lanes;
  }

  // Stores what is live and marks the packet as waiting. Returns the block in which packets go on.
  BasicBlock* suspend(CallInst& mark, unsigned w, const Pass& from, ValueToValueMapTy& copies) {
    BasicBlock* here = mark.getParent();
    BasicBlock* resume = here->splitBasicBlock(std::next(mark.getIterator()), "resume");
    here->getTerminator()->eraseFromParent();
    IRBuilder<> builder(&mark);
    for (Instruction* value : waits_[w].live) {
      if (stored_early_.contains(value)) continue;
      auto [offset, alignment] = frame_.of(*value);
      stores_.push_back(
          {builder.CreateAlignedStore(copies[value], field(builder, from, offset), alignment), offset});
    }
    const Pass& to = passes_[pass_of_[w]];
    if (to.waits.size() > 1)
      builder.CreateAlignedStore(builder.getInt32(w), field(builder, from, label_offset_), Align(4));
    if (&to != &from) {
      builder.CreateStore(builder.CreateOr(builder.CreateLoad(word_, to.waiting), from.bit), to.waiting);
      leave(builder, from);
      if (from.waits.empty() && tops_up_)
        builder.CreateStore(builder.CreateXor(builder.CreateLoad(word_, free_), from.bit), free_);
    }
    mark.eraseFromParent();
    builder.SetInsertPoint(here);
    builder.CreateBr(from.next);
    return resume;
  }

  // The value gets a further definition where a packet goes on, so it is a variable until it is promoted.
  AllocaInst* keep_in_memory(Instruction& copy, const Instruction& value, const Pass& pass) {
    if (stored_early_.contains(&value)) {
      Instruction* behind =
          isa<PHINode>(copy) ? &*copy.getParent()->getFirstInsertionPt() : copy.getNextNode();
      IRBuilder<> builder(behind);
      auto [offset, alignment] = frame_.of(value);
      builder.CreateAlignedStore(&copy, field(builder, pass, offset), alignment);
    }
    AllocaInst* kept = DemoteRegToStack(copy, false, entry_->begin());
    AllocaInst* shared = same_for_all_.lookup(&value);
    if (kept && shared) {
      kept->replaceAllUsesWith(shared);
      kept->eraseFromParent();
      return shared;
    }
    if (kept) places_.push_back(kept);
    return kept;
  }

  void reload(BasicBlock& resume, unsigned w, const Pass& pass,
              const std::map<Instruction*, AllocaInst*>& kept) {
    IRBuilder<> builder(&*resume.begin());
    for (Instruction* value : waits_[w].live) {
      AllocaInst* variable = kept.at(value);
      if (!variable) continue;
      auto [offset, alignment] = frame_.of(*value);
      LoadInst* load = builder.CreateAlignedLoad(value->getType(), field(builder, pass, offset), alignment,
                                                 value->getName());
      loaded_[load] = offset;
      builder.CreateStore(load, variable);
    }
    remake(builder, waits_[w].remade, [&](Instruction& value) {
      auto found = kept.find(&value);
      return found == kept.end() ? nullptr : found->second;
    });
  }

  void enter(IRBuilder<>& builder, const Pass& pass, BasicBlock* beginning, ArrayRef<BasicBlock*> resume) {
    if (pass.waits.empty()) {
      builder.CreateBr(beginning);
    } else if (pass.waits.size() == 1) {
      builder.CreateBr(resume[pass.waits.front()]);
    } else {
      Value* label = builder.CreateAlignedLoad(status_, field(builder, pass, label_offset_), Align(4));
      auto* to = builder.CreateSwitch(label, resume[pass.waits.front()]);
      for (unsigned w : drop_begin(pass.waits))
        to->addCase(builder.getInt32(w), resume[w]);
    }
  }

  // Where the body returned.
  void end_packets(BasicBlock& block, const Pass& pass, BasicBlock* beginning) {
    auto* ret = dyn_cast<ReturnInst>(block.getTerminator());
    if (!ret) return;
    Value* value = ret->getReturnValue();
    IRBuilder<> builder(ret);
    auto* constant = dyn_cast<ConstantInt>(value);
    if (!constant || !constant->isZero()) { // no other packet begins
      Value* goes_on = builder.CreateIsNull(value);
      builder.CreateStore(builder.CreateSelect(goes_on, builder.CreateLoad(status_, result_), value),
                          result_);
      if (overtakes_) {
        Value* left = builder.CreateLoad(word_, left_);
        builder.CreateStore(builder.CreateSelect(goes_on, left, builder.getInt64(0)), left_);
      }
      if (pass.waits.empty()) {
        Value* rest = builder.CreateLoad(word_, in_pass_);
        builder.CreateStore(builder.CreateSelect(goes_on, rest, builder.getInt64(0)), in_pass_);
      }
    }
    if (refills_) {
      BasicBlock *another = BasicBlock::Create(context_, "another", run_),
                 *last = BasicBlock::Create(context_, "last", run_);
      Value* left = builder.CreateLoad(word_, left_);
      builder.CreateCondBr(builder.CreateIsNull(left), last, another);
      builder.SetInsertPoint(another);
      builder.CreateStore(builder.CreateSub(left, builder.getInt64(1)), left_);
      builder.CreateBr(beginning);
      builder.SetInsertPoint(last);
    }
    leave(builder, pass);
    if (!pass.waits.empty() && tops_up_)
      builder.CreateStore(builder.CreateOr(builder.CreateLoad(word_, free_), pass.bit), free_);
    builder.CreateBr(pass.next);
    ret->eraseFromParent();
  }

  // The packet that runs waits there no longer.
  void leave(IRBuilder<>& builder, const Pass& pass) {
    if (!pass.returns) return;
    builder.CreateStore(builder.CreateXor(builder.CreateLoad(word_, pass.waiting), pass.bit), pass.waiting);
  }

  void erase_template() {
    for (BasicBlock* block : pattern_)
      block->dropAllReferences();
    for (BasicBlock* block : pattern_)
      block->eraseFromParent();
  }

  void promote() {
    EliminateUnreachableBlocks(*run_);
    DominatorTree dominators(*run_);
    PromoteMemToReg(places_, dominators);
  }

  // A value that comes from its field by every way is there already.
  void drop_stores_of_unchanged() {
    SmallPtrSet<const Instruction*, 32> alive;
    for (const Instruction& instruction : instructions(*run_))
      alive.insert(&instruction);
    for (auto [store, offset] : stores_) {
      if (!alive.contains(store)) continue;
      SmallPtrSet<Value*, 8> seen;
      SmallVector<Value*, 8> work{store->getValueOperand()};
      bool unchanged = true;
      while (!work.empty() && unchanged) {
        Value* value = work.pop_back_val();
        if (!seen.insert(value).second) continue;
        if (auto* phi = dyn_cast<PHINode>(value))
          append_range(work, phi->incoming_values());
        else if (auto found = loaded_.find(value); found != loaded_.end())
          unchanged = found->second == offset;
        else
          unchanged = false;
      }
      if (unchanged) store->eraseFromParent();
    }
  }

  void replace(CallBase& call) {
    IRBuilder<> builder(&call);
    auto* replaced = builder.CreateCall(run_, {call.getArgOperand(1), call.getArgOperand(2)});
    call.replaceAllUsesWith(replaced);
    if (auto* invoke = dyn_cast<InvokeInst>(&call)) {
      builder.CreateBr(invoke->getNormalDest());
      invoke->getUnwindDest()->removePredecessor(invoke->getParent());
    }
    call.eraseFromParent();
  }

  Function& body_;
  const BodyPlan& plan_;
  Module& module_;
  const DataLayout& layout_;
  LLVMContext& context_;
  IntegerType *word_, *status_;
  Function *run_ = nullptr, *plain_ = nullptr;
  BasicBlock* entry_ = nullptr;
  std::vector<BasicBlock*> pattern_; // the body's blocks, until every pass has its copy
  CallInst* plain_call_ = nullptr;
  AllocaInst* own_env_ = nullptr;
  uint64_t env_bytes_ = 0;
  std::vector<AllocaInst*> variables_;
  std::vector<LaneLoop> lane_loops_;
  std::vector<Wait> waits_;                                // by stage
  std::vector<Pass> passes_;                               // likewise
  std::vector<unsigned> pass_of_;                          // by wait
  MapVector<Instruction*, BitVector> live_;                // at which waits, in frames
  SetVector<Instruction*> carried_;                        // across waits, in frames or not
  DenseMap<const Instruction*, AllocaInst*> same_for_all_; // of these, where they are
  SmallPtrSet<const Instruction*, 8> stored_early_;
  FrameLayout frame_;
  uint64_t stride_ = 0, label_offset_ = 0;
  bool overtakes_ = false; // packets begin before all others have ended:
  bool refills_ = false;   // where one ends
  bool tops_up_ = false;   // when most have ended
  RunCounts counts_;
  AllocaInst *in_pass_ = nullptr, *left_ = nullptr, *free_ = nullptr, *result_ = nullptr, *frames_ = nullptr;
  std::vector<AllocaInst*> places_;
  std::vector<std::pair<StoreInst*, uint64_t>> stores_; // before waits, with the field's offset
  DenseMap<Value*, uint64_t> loaded_;                   // of fields
};

} // namespace

Expected<std::vector<Function*>> interleave(Module& module, const Plan& plan) {
  std::vector<Function*> made;
  for (const BodyPlan& body : plan.bodies) {
    Function* function = body.interleaved ? module.getFunction(body.body) : nullptr;
    if (!function || function->isDeclaration()) continue;
    auto run = Interleaver(*function, body).run();
    if (!run) return run.takeError();
    std::string problem;
    raw_string_ostream out(problem);
    if (verifyFunction(**run, &out))
      return diagnose("interleaving made code that LLVM's verifier rejects: " + problem,
                      "this is an error in Heddle: report it with the plan", body.body);
    made.push_back(*run);
    if (function->use_empty()) function->eraseFromParent();
  }
  if (!end_of_waits(module))
    return diagnose("a place to wait is in a function that could not be made part of its packet body",
                    "make the plan again with `heddle plan`");
  return made;
}

} // namespace heddle

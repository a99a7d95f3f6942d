// Outlining a packet loop.
//
// The body is one iteration as a function: entered at the loop's header, left at its backedge (0) or through
// one of its exit edges (k > 0). Everything that crosses the border of the region goes through `env`, a
// struct in the frame of the function that held the loop:
//   - captured values (defined before the loop): stored once, only read by the body;
//   - carried values (phis of the header): read and written by each iteration;
//   - results (values used after the loop): written on the exit edge that needs them.
//
// LLVM's CodeExtractor would take the loop as a whole, not one iteration of it, and keeps exits and phis in
// its own order; here the place of each load and store matters, because each carried slot is a location that
// packets share and the code between its first load and last store is a window no cut may divide:
//   - a value whose successor needs nothing of the iteration (i + 1, p + 1) is read and advanced on entry;
//   - any other is read right before its first use and written right after its successor is computed;
//   - an exit that only hands it on reads nothing: the caller takes it from the slot.
// So a counter holds only the entry together, and `sum += length` only the few instructions around it.
//
// Exceptions: a call in the loop that unwinds to a landing pad outside of it takes the head of the
// pad along. The body catches there, stores the exception, and leaves through an exit; the rest of the
// pad (handler or resume) runs in the caller as before, once the iterations in flight are done. A call
// without a pad unwinds through the body and the driver. Memory that lives for one iteration only moves into
// the body (loop_region.cpp, is_local); all other memory stays in the caller and its address is captured.
//
// Refused, with a remark: setjmp in the function, computed or asm goto in the loop, musttail, va_start,
// unsplit coroutines, loops that cannot be given one preheader and one latch.
#include "program/outline.h"

#include "program/loop_region.h"
#include "program/modelled.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace heddle {
namespace {

AttributeSet body_attributes(const Function& function) {
  AttrBuilder attributes(function.getContext(), function.getAttributes().getFnAttrs());
  // Exceptions may pass the body on their way to a handler around the loop; but not where there is no handler at all.
  if (function.hasPersonalityFn()) attributes.removeAttribute(Attribute::NoUnwind);
  for (auto kind :
       {Attribute::Memory, Attribute::NoReturn, Attribute::WillReturn, Attribute::NoRecurse,
        Attribute::AlwaysInline, Attribute::InlineHint, Attribute::MustProgress, Attribute::NoSync,
        Attribute::NoFree, Attribute::Speculatable, Attribute::Cold, Attribute::NoCallback})
    attributes.removeAttribute(kind);
  attributes.addAttribute(Attribute::NoInline);
  return AttributeSet::get(function.getContext(), attributes);
}

Function* create_body(Function& holder, unsigned number) {
  LLVMContext& context = holder.getContext();
  auto* type = FunctionType::get(Type::getInt32Ty(context), {PointerType::get(context, 0)}, false);
  auto* body = Function::Create(type, GlobalValue::InternalLinkage, "heddle.body." + Twine(number),
                                holder.getParent());
  body->setAttributes(AttributeList::get(context, body_attributes(holder), {}, {}));
  body->getArg(0)->setName("env");
  for (auto kind : {Attribute::NonNull, Attribute::NoUndef})
    body->addParamAttr(0, kind);
  if (holder.hasPersonalityFn()) body->setPersonalityFn(holder.getPersonalityFn());
  if (holder.hasGC()) body->setGC(holder.getGC());
  return body;
}

// The body's own subprogram, so that file and line survive. `line` is the loop's.
DISubprogram* create_subprogram(Function& body, DISubprogram& origin, unsigned line) {
  DIBuilder builder(*body.getParent(), false, origin.getUnit());
  auto* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  auto flags =
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized | DISubprogram::SPFlagLocalToUnit;
  DISubprogram* subprogram =
      builder.createFunction(origin.getUnit(), body.getName(), body.getName(), origin.getFile(), line, type,
                             line, DINode::FlagZero, flags);
  builder.finalizeSubprogram(subprogram);
  body.setSubprogram(subprogram);
  return subprogram;
}

FunctionCallee driver(Module& module, StringRef name, ArrayRef<Type*> arguments) {
  LLVMContext& context = module.getContext();
  FunctionCallee callee =
      module.getOrInsertFunction(name, FunctionType::get(Type::getInt32Ty(context), arguments, false));
  // One call, one body: specialising or inlining must not make a second.
  if (auto* function = dyn_cast<Function>(callee.getCallee())) function->addFnAttr(Attribute::NoDuplicate);
  return callee;
}

// Instructions whose debug values name `value` must forget it once it lives in another function.
void forget_in_debug_info(Value& value, function_ref<bool(const BasicBlock*)> keep) {
  SmallVector<DbgVariableIntrinsic*, 4> intrinsics;
  SmallVector<DbgVariableRecord*, 4> records;
  findDbgUsers(intrinsics, &value, &records);
  for (DbgVariableRecord* record : records)
    if (!keep(record->getMarker()->getParent())) record->setKillLocation();
}

class Outline {
public:
  Outline(LoopRegion region, FunctionAnalyses& analyses, unsigned number)
      : region_(std::move(region)), analyses_(analyses), function_(*region_.function),
        module_(*function_.getParent()), context_(function_.getContext()), builder_(context_),
        number_(number) {}

  Outlined run() {
    line_of_loop_ = analyses_.loops.getLoopFor(region_.header)->getStartLoc();
    plan_results();
    lay_out_env();
    Value* count = expand_count();
    body_ = create_body(function_, number_);
    body_->addDereferenceableParamAttr(0, size_of_env());
    body_->addParamAttr(0, Attribute::getWithAlignment(context_, align_of_env()));
    drop_debug_values();
    create_entry();
    place_carried();
    cut_exits();
    take_results();
    retire_phis();
    CallBase* call = replace_loop(count);
    redirect_captured();
    move_blocks();
    resume_by_call();
    finish_debug_info();
    return {body_, call, {}};
  }

private:
  // Where the caller finds a live-out value after a given exit.
  struct Handed {
    Instruction* value;
    unsigned exit;
    unsigned slot;
    bool stored_by_body;
  };

  Carried* carried_of(const Value* value) {
    auto found = find_if(region_.carried, [&](const Carried& carried) { return carried.phi == value; });
    return found == region_.carried.end() ? nullptr : &*found;
  }

  unsigned slot_of(const Carried& carried) const {
    return region_.captured.size() + (&carried - region_.carried.data());
  }

  // The block at whose end (latch) or within which (definition) the next value is stored.
  BasicBlock* store_block(const Carried& carried) const {
    if (carried.at_entry) return region_.header;
    return carried.store_at_latch ? region_.latch : cast<Instruction>(carried.next)->getParent();
  }

  // True if an iteration can reach the end of `to` after `from`.
  bool reaches(BasicBlock* from, BasicBlock* to) const {
    SmallVector<BasicBlock*, 16> work{from};
    SmallPtrSet<BasicBlock*, 16> seen;
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (block == to) return true;
      if (!seen.insert(block).second) continue;
      for (BasicBlock* successor : successors(block))
        if (region_.blocks.contains(successor) && successor != region_.header) work.push_back(successor);
    }
    return false;
  }

  // Decides for each live-out value and exit whether the body stores it or a carried slot already holds it.
  void plan_results() {
    for (Instruction* value : region_.live_out) {
      std::optional<unsigned> result;
      for (unsigned exit = 0; exit < region_.exits.size(); ++exit) {
        BasicBlock* from = region_.exits[exit].from;
        if (!analyses_.dominators.dominates(value->getParent(), from)) continue;
        if (auto slot = slot_holding(value, from)) {
          handed_.push_back({value, exit, *slot, false});
          continue;
        }
        if (!result) result = results_.size(), results_.push_back(value);
        handed_.push_back({value, exit, *result, true});
      }
    }
    for (Handed& handed : handed_)
      if (handed.stored_by_body) handed.slot += region_.captured.size() + region_.carried.size();
  }

  std::optional<unsigned> slot_holding(Instruction* value, BasicBlock* from) {
    if (Carried* carried = carried_of(value);
        carried && !carried->at_entry && !reaches(store_block(*carried), from))
      return slot_of(*carried);
    for (Carried& carried : region_.carried)
      if (carried.next == value && analyses_.dominators.dominates(store_block(carried), from) &&
          (!carried.store_at_latch || from == region_.latch))
        return slot_of(carried);
    return std::nullopt;
  }

  void lay_out_env() {
    SmallVector<Type*, 16> fields;
    for (Value* value : region_.captured)
      fields.push_back(value->getType());
    for (const Carried& carried : region_.carried)
      fields.push_back(carried.phi->getType());
    for (Instruction* value : results_)
      fields.push_back(value->getType());
    env_type_ = StructType::create(context_, fields, "heddle.env." + std::to_string(number_));
    // In the entry block: one frame, however often the loop is entered.
    builder_.SetInsertPoint(&function_.getEntryBlock(), function_.getEntryBlock().getFirstInsertionPt());
    builder_.SetCurrentDebugLocation(DebugLoc());
    env_ = builder_.CreateAlloca(env_type_, nullptr, "heddle.env");
  }

  uint64_t size_of_env() const { return module_.getDataLayout().getTypeAllocSize(env_type_); }
  Align align_of_env() const { return module_.getDataLayout().getABITypeAlign(env_type_); }

  Value* slot(Value* env, unsigned index) { return builder_.CreateStructGEP(env_type_, env, index); }

  LoadInst* load_slot(Value* env, unsigned index, const Twine& name) {
    return builder_.CreateLoad(env_type_->getElementType(index), slot(env, index), name);
  }

  // Number of packets, computed before the loop, where the exit test allows it.
  Value* expand_count() {
    Type* wide = Type::getInt64Ty(context_);
    Value* unknown = ConstantInt::getSigned(wide, -1);
    Loop* loop = analyses_.loops.getLoopFor(region_.header);
    bool at_header = loop->isLoopExiting(region_.header);
    BasicBlock* test = at_header ? region_.header : region_.latch;
    Instruction* at = region_.preheader->getTerminator();
    builder_.SetInsertPoint(at);
    builder_.SetCurrentDebugLocation(line_of_loop_);
    const SCEV* count = analyses_.evolution.getExitCount(loop, test);
    SCEVExpander expander(analyses_.evolution, module_.getDataLayout(), "heddle.count");
    Value* value = nullptr;
    if (!isa<SCEVCouldNotCompute>(count) && expander.isSafeToExpandAt(count, at) &&
        !expander.isHighCostExpansion(count, loop, 8, &analyses_.costs, at))
      value = builder_.CreateZExtOrTrunc(expander.expandCodeFor(count, count->getType(), at), wide);
    else
      value = distance_to_bound(*loop, *test);
    if (!value) return unknown;
    return at_header ? value : builder_.CreateAdd(value, ConstantInt::get(wide, 1));
  }

  // DPDK's `uint16_t i < n` may wrap as far as scalar evolution knows; as a hint, n - i is good enough.
  Value* distance_to_bound(const Loop& loop, BasicBlock& test) {
    auto* branch = dyn_cast<BranchInst>(test.getTerminator());
    auto* compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare) return nullptr;
    auto stripped = [](Value* value) {
      while (isa<ZExtInst>(value) || isa<SExtInst>(value))
        value = cast<CastInst>(value)->getOperand(0);
      return value;
    };
    Value *left = stripped(compare->getOperand(0)), *right = stripped(compare->getOperand(1));
    if (!carried_of(left)) std::swap(left, right);
    Carried* index = carried_of(left);
    auto* step = index ? dyn_cast<BinaryOperator>(index->next) : nullptr;
    bool by_one = step && step->getOpcode() == Instruction::Add && step->getOperand(0) == index->phi &&
                  isa<ConstantInt>(step->getOperand(1)) && cast<ConstantInt>(step->getOperand(1))->isOne();
    if (!by_one || !loop.isLoopInvariant(right) || !right->getType()->isIntegerTy()) return nullptr;
    Type* wide = builder_.getInt64Ty();
    return builder_.CreateSub(builder_.CreateZExtOrTrunc(right, wide),
                              builder_.CreateZExtOrTrunc(index->initial, wide));
  }

  // Variables of the loop keep their lines but not their values: their scopes belong to the old function.
  void drop_debug_values() {
    auto outside = [](const BasicBlock*) { return false; };
    for (AllocaInst* alloca : region_.local)
      forget_in_debug_info(*alloca, outside);
    for (BasicBlock* block : region_.blocks)
      for (Instruction& instruction : *block) {
        instruction.dropDbgRecords();
        forget_in_debug_info(instruction, outside);
      }
  }

  void create_entry() {
    entry_ = BasicBlock::Create(context_, "entry", body_);
    builder_.SetInsertPoint(entry_);
    builder_.SetCurrentDebugLocation(line_of_loop_);
    for (AllocaInst* alloca : region_.local) {
      erase_outer_markers(*alloca);
      alloca->removeFromParent();
      builder_.Insert(alloca);
    }
    for (unsigned i = 0; i < region_.captured.size(); ++i)
      inside_[region_.captured[i]] = load_slot(body_->getArg(0), i, region_.captured[i]->getName());
  }

  // The lifetime of a variable that moves is now that of the iteration.
  void erase_outer_markers(AllocaInst& alloca) {
    for (User* user : make_early_inc_range(alloca.users()))
      if (auto* instruction = cast<Instruction>(user); !region_.contains(instruction))
        instruction->eraseFromParent();
  }

  void place_carried() {
    advance_on_entry();
    for (Carried& carried : region_.carried)
      if (!carried.at_entry) place_load(carried);
    for (Carried& carried : region_.carried)
      if (!carried.at_entry) place_store(carried);
  }

  void retire_phis() {
    for (Carried& carried : region_.carried) {
      carried.phi->replaceAllUsesWith(inside_[carried.phi]);
      carried.phi->eraseFromParent();
    }
  }

  void advance_on_entry() {
    builder_.SetInsertPoint(entry_);
    builder_.SetCurrentDebugLocation(line_of_loop_);
    for (Carried& carried : region_.carried)
      if (carried.at_entry)
        inside_[carried.phi] = load_slot(body_->getArg(0), slot_of(carried), carried.phi->getName());
    DenseMap<Value*, Value*> copies;
    for (Carried& carried : region_.carried)
      if (carried.at_entry)
        builder_.CreateStore(copy_early(carried.next, copies), slot(body_->getArg(0), slot_of(carried)));
  }

  Value* copy_early(Value* value, DenseMap<Value*, Value*>& copies) {
    if (Value* inside = inside_.lookup(value)) return inside;
    auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || !region_.contains(instruction)) return value;
    if (Value* copy = copies.lookup(value)) return copy;
    Instruction* copy = instruction->clone();
    for (Use& operand : copy->operands())
      operand.set(copy_early(operand, copies));
    builder_.Insert(copy, instruction->getName());
    copies[value] = copy;
    return copy;
  }

  // Right before the first use, outside of inner loops, and before the store of the next value.
  void place_load(Carried& carried) {
    BasicBlock* block = nullptr;
    auto meet = [&](BasicBlock* use) {
      block = block ? analyses_.dominators.findNearestCommonDominator(block, use) : use;
    };
    SmallPtrSet<Instruction*, 8> users;
    for (Use& use : carried.phi->uses()) {
      auto* user = cast<Instruction>(use.getUser());
      if (!region_.contains(user) || (isa<PHINode>(user) && user->getParent() == region_.header)) continue;
      auto* phi = dyn_cast<PHINode>(user);
      meet(phi ? phi->getIncomingBlock(use) : user->getParent());
      users.insert(user);
    }
    meet(store_block(carried));
    for (const Handed& handed : handed_)
      if (handed.stored_by_body && handed.value == carried.phi) meet(region_.exits[handed.exit].from);
    for (Carried& other : region_.carried)
      if (other.next == carried.phi) meet(region_.latch);
    if (!carried.store_at_latch) users.insert(cast<Instruction>(carried.next));
    Loop* loop = analyses_.loops.getLoopFor(region_.header);
    while (analyses_.loops.getLoopFor(block) != loop && region_.header != block)
      block = analyses_.dominators.getNode(block)->getIDom()->getBlock();
    auto at = find_if(make_range(block->getFirstInsertionPt(), std::prev(block->end())),
                      [&](Instruction& i) { return users.contains(&i); });
    builder_.SetInsertPoint(block, at);
    builder_.SetCurrentDebugLocation(at->getDebugLoc() ? at->getDebugLoc() : line_of_loop_);
    inside_[carried.phi] = load_slot(body_->getArg(0), slot_of(carried), carried.phi->getName());
  }

  void place_store(Carried& carried) {
    Value* next = inside_.lookup(carried.next);
    if (!next) next = carried.next;
    BasicBlock* block = store_block(carried);
    BasicBlock::iterator at = block->getTerminator()->getIterator();
    if (!carried.store_at_latch) at = *cast<Instruction>(carried.next)->getInsertionPointAfterDef();
    // A next value that is a phi may be known before the old one is read.
    auto* load = cast<Instruction>(inside_[carried.phi]);
    if (load->getParent() == block && at != block->end() && !load->comesBefore(&*at))
      at = std::next(load->getIterator());
    builder_.SetInsertPoint(block, at);
    builder_.SetCurrentDebugLocation(line_of_loop_);
    builder_.CreateStore(next, slot(body_->getArg(0), slot_of(carried)));
  }

  Value* inside(Value* value) {
    Value* replacement = inside_.lookup(value);
    return replacement ? replacement : value;
  }

  // Every exit edge gets a block on either side: one in the body that stores results and returns the code,
  // and one in the function that loads them and goes where the edge went.
  void cut_exits() {
    for (unsigned index = 0; index < region_.exits.size(); ++index) {
      auto [from, to] = region_.exits[index];
      BasicBlock* landing = BasicBlock::Create(context_, "exit." + Twine(index + 1), &function_);
      landings_.push_back(landing);
      BasicBlock* stub = BasicBlock::Create(context_, "exit." + Twine(index + 1), body_);
      DebugLoc location = from->getTerminator()->getDebugLoc();
      from->getTerminator()->replaceSuccessorWith(to, stub);
      for (PHINode& phi : to->phis()) {
        Value* value = phi.getIncomingValueForBlock(from);
        for (int i; (i = phi.getBasicBlockIndex(from)) >= 0;)
          phi.removeIncomingValue(i, false);
        phi.addIncoming(value, landing);
      }
      builder_.SetInsertPoint(stub);
      builder_.SetCurrentDebugLocation(location);
      for (const Handed& handed : handed_)
        if (handed.exit == index && handed.stored_by_body)
          builder_.CreateStore(inside(handed.value), slot(body_->getArg(0), handed.slot));
      builder_.CreateRet(builder_.getInt32(index + 1));
      builder_.SetInsertPoint(landing);
      builder_.CreateBr(to);
    }
  }

  // The uses after the loop read the results (or carried slots) that the exits left.
  void take_results() {
    for (Instruction* value : region_.live_out) {
      SSAUpdater updater;
      updater.Initialize(value->getType(), value->getName());
      for (const Handed& handed : handed_) {
        if (handed.value != value) continue;
        BasicBlock* landing = landings_[handed.exit];
        builder_.SetInsertPoint(landing->getTerminator());
        updater.AddAvailableValue(landing, load_slot(env_, handed.slot, value->getName()));
      }
      SmallVector<Use*, 8> outside;
      for (Use& use : value->uses()) {
        auto* user = cast<Instruction>(use.getUser());
        if (!region_.contains(user) && user->getFunction() == &function_) outside.push_back(&use);
      }
      for (Use* use : outside)
        updater.RewriteUse(*use);
    }
  }

  // Stores what the body reads, calls the driver and goes on behind the exit that was taken.
  CallBase* replace_loop(Value* count) {
    Instruction* old = region_.preheader->getTerminator();
    builder_.SetInsertPoint(old);
    builder_.SetCurrentDebugLocation(line_of_loop_);
    for (unsigned i = 0; i < region_.captured.size(); ++i)
      builder_.CreateStore(region_.captured[i], slot(env_, i));
    for (const Carried& carried : region_.carried)
      builder_.CreateStore(carried.initial, slot(env_, slot_of(carried)));
    Type* pointer = PointerType::get(context_, 0);
    FunctionCallee run = driver(module_, "heddle_run_loop", {pointer, pointer, builder_.getInt64Ty()});
    CallInst* call = builder_.CreateCall(run, {body_, env_, count}, "heddle.exit");
    BasicBlock* none = BasicBlock::Create(context_, "heddle.no.exit", &function_);
    SwitchInst* exits = builder_.CreateSwitch(call, none, landings_.size());
    for (unsigned i = 0; i < landings_.size(); ++i)
      exits->addCase(builder_.getInt32(i + 1), landings_[i]);
    new UnreachableInst(context_, none);
    old->eraseFromParent();
    function_.addFnAttr(Attribute::NoInline);
    function_.removeFnAttr(Attribute::AlwaysInline);
    return call;
  }

  void redirect_captured() {
    for (Value* value : region_.captured)
      value->replaceUsesWithIf(inside_[value], [&](Use& use) {
        auto* user = dyn_cast<Instruction>(use.getUser());
        return user && region_.contains(user);
      });
  }

  void move_blocks() {
    BasicBlock* next = BasicBlock::Create(context_, "next", body_);
    builder_.SetInsertPoint(next);
    builder_.SetCurrentDebugLocation(line_of_loop_);
    builder_.CreateRet(builder_.getInt32(0));
    Instruction* backedge = region_.latch->getTerminator();
    backedge->setMetadata(LLVMContext::MD_loop, nullptr);
    backedge->replaceSuccessorWith(region_.header, next);
    builder_.SetInsertPoint(entry_);
    builder_.CreateBr(region_.header);
    for (BasicBlock* block : region_.blocks)
      body_->splice(next->getIterator(), &function_, block->getIterator());
  }

  // The landing pads of the loop's calls are in the body now. Code generation takes a `resume` that no
  // landing pad of its function leads to for unreachable; what a resume becomes in the end is a call like any
  // other.
  void resume_by_call() {
    if (none_of(*body_, [](const BasicBlock& block) { return block.isLandingPad(); })) return;
    FunctionCallee go_on =
        module_.getOrInsertFunction("_Unwind_Resume", builder_.getVoidTy(), PointerType::get(context_, 0));
    for (BasicBlock& block : function_) {
      auto* resume = dyn_cast<ResumeInst>(block.getTerminator());
      if (!resume) continue;
      builder_.SetInsertPoint(resume);
      builder_.SetCurrentDebugLocation(resume->getDebugLoc());
      builder_.CreateCall(go_on, {builder_.CreateExtractValue(resume->getValue(), 0)})->setDoesNotReturn();
      builder_.CreateUnreachable();
      resume->eraseFromParent();
    }
  }

  void finish_debug_info() {
    DISubprogram* origin = function_.getSubprogram();
    if (!origin) {
      return;
    }
    unsigned line = line_of_loop_ ? line_of_loop_.getLine() : origin->getLine();
    DISubprogram* subprogram = create_subprogram(*body_, *origin, line);
    DenseMap<const MDNode*, MDNode*> cache;
    auto moved = [&](Metadata* node) -> Metadata* {
      if (auto* location = dyn_cast_or_null<DILocation>(node))
        return DebugLoc::replaceInlinedAtSubprogram(DebugLoc(location), *subprogram, context_, cache).get();
      return node;
    };
    for (BasicBlock& block : *body_)
      for (Instruction& instruction : block) {
        if (DebugLoc location = instruction.getDebugLoc())
          instruction.setDebugLoc(
              DebugLoc::replaceInlinedAtSubprogram(location, *subprogram, context_, cache));
        updateLoopMetadataDebugLocations(instruction, moved);
      }
  }

  LoopRegion region_;
  FunctionAnalyses& analyses_;
  Function& function_;
  Module& module_;
  LLVMContext& context_;
  IRBuilder<> builder_;
  unsigned number_;
  DebugLoc line_of_loop_;
  Function* body_ = nullptr;
  BasicBlock* entry_ = nullptr;
  StructType* env_type_ = nullptr;
  AllocaInst* env_ = nullptr;
  SmallVector<Instruction*, 8> results_;
  SmallVector<Handed, 16> handed_;
  DenseMap<Value*, Value*> inside_; // what stands for a captured or carried value in the body
  SmallVector<BasicBlock*, 8> landings_;
};

Remark refusal_of(StringRef code, const BasicBlock& header) {
  const Function& function = *header.getParent();
  return {code.str(), location_of(*header.getTerminator()).str(),
          "the packet loop of " + source_name(function).str() + " cannot be outlined",
          "name another loop with --body, or move the body of the loop into a function of its own"};
}

} // namespace

Outlined outline_loop(BasicBlock& header, unsigned number) {
  if (auto code = canonicalise_loop(header)) return {nullptr, nullptr, refusal_of(*code, header)};
  FunctionAnalyses analyses(*header.getParent());
  return Outline(describe_region(header, analyses), analyses, number).run();
}

// The body loads what libpcap would have passed and calls the callback; inlining does the rest.
Outlined outline_callback(CallBase& receive, Function& callback, unsigned number) {
  Module& module = *callback.getParent();
  LLVMContext& context = module.getContext();
  Function& holder = *receive.getFunction();
  Function* body = create_body(callback, number);
  Type* pointer = PointerType::get(context, 0);
  auto* packet = StructType::create(context, {pointer, pointer, pointer}, "heddle.pcap.packet");
  IRBuilder<> builder(BasicBlock::Create(context, "entry", body));
  if (DISubprogram* origin = callback.getSubprogram()) {
    DISubprogram* subprogram = create_subprogram(*body, *origin, origin->getLine());
    builder.SetCurrentDebugLocation(DILocation::get(context, origin->getLine(), 0, subprogram));
  }
  SmallVector<Value*, 3> arguments;
  for (unsigned i = 0; i < callback.arg_size(); ++i)
    arguments.push_back(builder.CreateLoad(pointer, builder.CreateStructGEP(packet, body->getArg(0), i)));
  CallInst* run = builder.CreateCall(&callback, arguments);
  run->setCallingConv(callback.getCallingConv());
  builder.CreateRet(builder.getInt32(0));

  StringRef name =
      source_name(*receive.getCalledFunction()) == "pcap_loop" ? "heddle_pcap_loop" : "heddle_pcap_dispatch";
  Type* word = builder.getInt32Ty();
  FunctionCallee callee = driver(module, name, {pointer, word, pointer, pointer, pointer});
  builder.SetInsertPoint(&receive);
  Value* user = receive.getArgOperand(3);
  SmallVector<Value*, 5> forwarded{receive.getArgOperand(0), receive.getArgOperand(1), body, user,
                                   receive.getArgOperand(2)};
  CallBase* call = nullptr;
  if (auto* invoke = dyn_cast<InvokeInst>(&receive))
    call = builder.CreateInvoke(callee, invoke->getNormalDest(), invoke->getUnwindDest(), forwarded);
  else
    call = builder.CreateCall(callee, forwarded);
  call->setDebugLoc(receive.getDebugLoc());
  receive.replaceAllUsesWith(call);
  receive.eraseFromParent();
  holder.addFnAttr(Attribute::NoInline);
  holder.removeFnAttr(Attribute::AlwaysInline);
  return {body, call, {}};
}

} // namespace heddle

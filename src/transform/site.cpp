// Sites: how a packet is suspended in the middle of compiled code (NanoPL, sections 3.1 and 6).
//
// Problem. At a site the packet may have to step aside for the next one, in about the time of a mispredicted
// branch, at any control-flow edge of any function of the body, and at no cost when staging is off.
//
// Alternatives. (a) LLVM coroutines: every function on the chain from the body to the site becomes a state
// machine with a heap frame, and frame elision cannot be relied on. (b) A call of a switch function, as in
// libraries of user-level threads: saves all callee-saved registers whether live or not, and unbalances the
// return predictor. (c) The papers' choice, and ours: every packet has a stack of its own and the switch is
// inline.
//
// The site is
//
//         from:   ...                                      from:   ...
//                 br to                                            br check
//                                               check:     round = load thread_local heddle_this_thread.round
//                                                          br round < stage, switch, resume
//                                               switch:    inline assembly (src/runtime/switch_text.h)
//                                                          br resume
//         to:     ...                           resume:    br to
//
// One load and one predictable branch while staging is off (round is then the largest number), or when the
// packet has passed this stage already: counters only go up.
//
// Why the assembly is sound for whatever the compiler makes around it:
// - Registers. All general registers but rsp, rbp, rbx are clobbered, and all vector registers (a clobber of
//   xmmN covers ymmN and zmmN; zmm16 to zmm31 and the mask registers are listed where the function may use
//   them), x87/MMX registers, flags and memory. So the register allocator keeps live values in the packet's
//   own frame across the text. rbp and rbx cannot be given up where they are the frame or base pointer (frame
//   pointers, over-aligned or variable frames); the text saves and restores them, whatever they hold.
// - Red zone. Nothing is pushed and nothing below rsp is written, so a leaf function's red zone survives; no
//   other packet ever runs on this stack. A signal handler skips the red zone by itself.
// - Frames. rsp at the end of the text is what it was at its start, so shrink-wrapping, tail calls before and
//   after, and call frame information need no exception. Only between loading the next packet's rsp and the
//   jump, two instructions, does an asynchronous unwinder see a mixture.
// - setjmp. A function that calls setjmp keeps its variables in its frame, which stays in place.
// - Direction flag and rounding modes: by the ABI the former is clear at every site; code that changes the
//   latter touches a shared location for the analysis.
// - Duplication. The text has only numeric labels, so the compiler may copy it.
// - Thread. A packet stays on its thread, so a thread-local address computed before the switch holds after it.
//
// Function attributes (memory(none), nosync, ...) stop being true when a site goes in; staging.cpp drops them
// along the chain of callers.
//
// Measured by bench/crossing: 8 to 9 cycles for a crossing with 8 to 64 packets in flight (Sapphire Rapids).
#include "transform/site.h"

#include "runtime/switch_text.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {
namespace {

// The runtime's struct heddle_thread, of which IR reads the first word. Hidden: each linked image has its
// own, so the access is a constant offset from the thread pointer in executables.
GlobalVariable& thread_state(Module& module) {
  static_assert(HEDDLE_THREAD_ROUND == 0);
  constexpr StringLiteral name = "heddle_this_thread";
  if (auto* existing = module.getNamedGlobal(name)) return *existing;
  auto* state =
      new GlobalVariable(module, Type::getInt32Ty(module.getContext()), false, GlobalValue::ExternalLinkage,
                         nullptr, name, nullptr, GlobalValue::InitialExecTLSModel);
  state->setVisibility(GlobalValue::HiddenVisibility);
  state->setAlignment(Align(8));
  return *state;
}

bool has_feature(const Function& function, StringRef feature) {
  SmallVector<StringRef, 64> features;
  function.getFnAttribute("target-features").getValueAsString().split(features, ',');
  return is_contained(features, feature);
}

std::string clobbers(const Function& function) {
  std::string list =
      "i,~{rax},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{r12},~{r13},~{r14},~{r15}";
  for (unsigned i = 0; i < 16; ++i)
    list += ",~{xmm" + std::to_string(i) + "}";
  if (has_feature(function, "+avx512f")) {
    for (unsigned i = 16; i < 32; ++i)
      list += ",~{xmm" + std::to_string(i) + "}";
    for (unsigned i = 0; i < 8; ++i)
      list += ",~{k" + std::to_string(i) + "}";
  }
  if (has_feature(function, "+egpr"))
    for (unsigned i = 16; i < 32; ++i)
      list += ",~{r" + std::to_string(i) + "}";
  list += ",~{st}";
  for (unsigned i = 1; i < 8; ++i)
    list += ",~{st(" + std::to_string(i) + ")}";
  return list + ",~{memory},~{dirflag},~{fpsr},~{flags}";
}

// Other packets run meanwhile.
void emit_switch(IRBuilder<>& builder, const Function& function, unsigned stage, const SiteKeeps& keeps) {
  SmallVector<std::pair<Value*, Value*>, 2> kept; // address, value
  auto keep = [&](Value* address, Type* type) {
    kept.push_back({address, builder.CreateLoad(type, address)});
  };
  if (keeps.copies) keep(copies_field(builder), builder.getPtrTy());
  if (keeps.own_errno) {
    auto* where = FunctionType::get(builder.getPtrTy(), false);
    CallInst* place = builder.CreateCall(
        builder.GetInsertBlock()->getModule()->getOrInsertFunction("__errno_location", where));
    place->setDoesNotThrow();
    keep(place, builder.getInt32Ty());
  }
  auto* type = FunctionType::get(builder.getVoidTy(), {builder.getInt32Ty()}, false);
  auto* text = InlineAsm::get(type, HEDDLE_SWITCH_TEXT("%", "$$", "$0"), clobbers(function), true);
  auto* call = builder.CreateCall(text, {builder.getInt32(stage)});
  call->setDoesNotThrow();
  for (auto [address, value] : kept)
    builder.CreateStore(value, address);
}

// Makes every edge from -> to go to `middle`, which goes on to `to`.
void redirect_edges(BasicBlock& from, BasicBlock& to, BasicBlock& middle, BasicBlock& last) {
  Instruction* end = from.getTerminator();
  for (unsigned i = 0; i < end->getNumSuccessors(); ++i)
    if (end->getSuccessor(i) == &to) end->setSuccessor(i, &middle);
  for (PHINode& phi : to.phis()) {
    int kept = phi.getBasicBlockIndex(&from);
    phi.setIncomingBlock(unsigned(kept), &last);
    for (int other = phi.getBasicBlockIndex(&from); other >= 0; other = phi.getBasicBlockIndex(&from))
      phi.removeIncomingValue(unsigned(other), false);
  }
}

} // namespace

bool has_edge(const BasicBlock& from, const BasicBlock& to) {
  return is_contained(successors(&from), &to);
}

bool edge_takes_site(const BasicBlock& from, const BasicBlock& to) {
  return !to.isEHPad() && !isa<IndirectBrInst, CallBrInst>(from.getTerminator());
}

BasicBlock& insert_block(BasicBlock& from, BasicBlock& to, const Twine& name) {
  const DebugLoc location = from.getTerminator()->getDebugLoc();
  auto* block = BasicBlock::Create(from.getContext(), name, from.getParent(), &to);
  redirect_edges(from, to, *block, *block);
  BranchInst::Create(&to, block)->setDebugLoc(location);
  return *block;
}

Value* thread_field(IRBuilder<>& builder, unsigned offset) {
  Value* state = builder.CreateThreadLocalAddress(&thread_state(*builder.GetInsertBlock()->getModule()));
  return builder.CreateConstGEP1_64(builder.getInt8Ty(), state, offset);
}

Value* copies_field(IRBuilder<>& builder) {
  return thread_field(builder, HEDDLE_THREAD_COPIES);
}

void insert_site(BasicBlock& from, BasicBlock& to, unsigned stage, const SiteKeeps& keeps) {
  Function& function = *from.getParent();
  LLVMContext& context = function.getContext();
  const DebugLoc location = from.getTerminator()->getDebugLoc();
  auto* check = BasicBlock::Create(context, "heddle.site", &function, &to);
  auto* change = BasicBlock::Create(context, "heddle.switch", &function, &to);
  auto* resume = BasicBlock::Create(context, "heddle.resume", &function, &to);
  redirect_edges(from, to, *check, *resume);

  IRBuilder<> builder(check);
  builder.SetCurrentDebugLocation(location);
  Value* state = builder.CreateThreadLocalAddress(&thread_state(*function.getParent()));
  Value* round = builder.CreateAlignedLoad(builder.getInt32Ty(), state, Align(8), "round");
  builder.CreateCondBr(builder.CreateICmpULT(round, builder.getInt32(stage)), change, resume);
  builder.SetInsertPoint(change);
  emit_switch(builder, function, stage, keeps);
  builder.CreateBr(resume);
  builder.SetInsertPoint(resume);
  builder.CreateBr(&to);
}

void forget_conclusions(Function& function) {
  for (auto kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::NoFree,
                    Attribute::NoCallback, Attribute::Speculatable})
    function.removeFnAttr(kind);
  for (Argument& argument : function.args())
    for (auto kind : {Attribute::NoAlias, Attribute::ReadOnly, Attribute::ReadNone, Attribute::WriteOnly,
                      Attribute::NoFree})
      argument.removeAttr(kind);
}

void forget_conclusions(CallBase& call) {
  for (auto kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::NoFree,
                    Attribute::NoCallback, Attribute::Speculatable})
    call.removeFnAttr(kind);
  for (unsigned i = 0; i < call.arg_size(); ++i)
    for (auto kind : {Attribute::NoAlias, Attribute::ReadOnly, Attribute::ReadNone, Attribute::WriteOnly,
                      Attribute::NoFree})
      call.removeParamAttr(i, kind);
}

void define_setting(Module& module, StringRef name, unsigned value) {
  auto* type = Type::getInt32Ty(module.getContext());
  auto* setting = module.getNamedGlobal(name);
  if (setting == nullptr)
    setting = new GlobalVariable(module, type, true, GlobalValue::WeakAnyLinkage, nullptr, name);
  setting->setInitializer(ConstantInt::get(type, value));
  setting->setLinkage(GlobalValue::WeakAnyLinkage);
  setting->setVisibility(GlobalValue::HiddenVisibility);
  setting->setConstant(true);
}

void define_default_batch(Module& module, unsigned batch) {
  define_setting(module, "heddle_default_batch", batch);
}

void forget_scopes(Function& run) {
  SmallVector<Instruction*, 8> gone;
  for (Instruction& instruction : instructions(run)) {
    instruction.dropDbgRecords();
    for (unsigned kind : {unsigned(LLVMContext::MD_noalias), unsigned(LLVMContext::MD_alias_scope),
                          unsigned(LLVMContext::MD_loop)})
      instruction.setMetadata(kind, nullptr);
    auto* call = dyn_cast<IntrinsicInst>(&instruction);
    if (call && (isa<NoAliasScopeDeclInst, DbgInfoIntrinsic>(call) || call->isLifetimeStartOrEnd()))
      gone.push_back(call);
  }
  for (Instruction* instruction : gone)
    instruction->eraseFromParent();
}

} // namespace heddle

#include "program/expensive.h"

#include "program/modelled.h"
#include "program/program.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

namespace {

constexpr StringLiteral marker = "heddle_expensive_load", hidden = "heddle-hidden";
constexpr StringLiteral annotation = "heddle_expensive"; // include/heddle/heddle.h

// Reads nothing and writes nothing that the program could see, and stays where it is.
FunctionCallee marker_of(Module& module) {
  LLVMContext& context = module.getContext();
  FunctionCallee callee = module.getOrInsertFunction(marker, Type::getVoidTy(context),
                                                     PointerType::get(context, 0), Type::getInt32Ty(context));
  auto* function = cast<Function>(callee.getCallee());
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  for (auto kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree,
                    Attribute::NoCallback})
    function->addFnAttr(kind);
  for (auto kind : {Attribute::NoCapture, Attribute::ReadNone})
    function->addParamAttr(0, kind);
  return callee;
}

constexpr uint32_t annotated = UINT32_MAX;

CallInst* mark(Instruction& before, Value& pointer, uint32_t which) {
  IRBuilder<> builder(&before);
  CallInst* call = builder.CreateCall(marker_of(*before.getModule()), {&pointer, builder.getInt32(which)});
  call->setDoesNotThrow();
  return call;
}

} // namespace

BasicBlock* mark_expensive(const MemoryRead& read, unsigned which) {
  mark(*read.by, *read.address, which);
  return read.by->getParent()->splitBasicBlock(read.by->getIterator());
}

std::optional<unsigned> opened_load_of(const CallBase& marker) {
  const uint64_t which = cast<ConstantInt>(marker.getArgOperand(1))->getZExtValue();
  return which == annotated ? std::nullopt : std::optional<unsigned>(unsigned(which));
}

void insert_expensive(Module& module) {
  SmallVector<CallInst*, 8> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallInst>(&instruction);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && call->arg_size() == 1 && source_name(*callee) == annotation) calls.push_back(call);
    }
  for (CallInst* call : calls) {
    mark(*call, *call->getArgOperand(0), annotated);
    call->eraseFromParent();
  }
}

bool marks_expensive(const Instruction& instruction) {
  auto* call = dyn_cast<CallBase>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == marker;
}

const CallBase* expensive_load_of(const BasicBlock& block) {
  const CallBase* call = ending_call(block);
  return call && marks_expensive(*call) ? call : nullptr;
}

void hide_expensive(const BasicBlock& block, unsigned into) {
  const_cast<CallBase*>(expensive_load_of(block))
      ->addFnAttr(Attribute::get(block.getContext(), hidden, std::to_string(into)));
}

void fetch_hidden(Instruction& before, Value& address, unsigned into) {
  IRBuilder<> builder(&before);
  CallInst* prefetch = builder.CreateIntrinsic(
      Intrinsic::prefetch, {builder.getPtrTy()},
      {&address, builder.getInt32(0), builder.getInt32(4 - into), builder.getInt32(1)});
  prefetch->setMetadata(hidden, MDNode::get(before.getContext(), {}));
}

bool is_prefetch_of_hidden(const Instruction& instruction) {
  return instruction.getMetadata(hidden) != nullptr;
}

void finish_expensive(Module& module) {
  Function* function = module.getFunction(marker);
  if (!function) return;
  for (User* user : make_early_inc_range(function->users())) {
    auto* call = cast<CallBase>(user);
    if (call->hasFnAttr(hidden)) {
      unsigned into = 1;
      call->getFnAttr(hidden).getValueAsString().getAsInteger(10, into);
      fetch_hidden(*call, *call->getArgOperand(0), into);
    }
    call->eraseFromParent();
  }
  function->eraseFromParent();
}

} // namespace heddle

// Where a packet's copy is.
//
// Problem. The same code runs for staged packets, each with copies of its own, with staging off, and outside of the
// packet loop. Alternatives. Clone the body's functions for staged packets (doubles the code), or swap the variable's
// contents at each switch (copies it all). Choice: the thread's state points to the running packet's copies, or is null, and
// each use of the variable's address becomes
//
//     copies ? copies + offset : &variable
//
// at each use: a load, a test and a conditional move. A site restores the pointer when its packet goes on (site.cpp),
// heddle_start sets it for a new packet. It is the same all through a packet's life, so an address that is taken
// before a site is right after it.
//
// match: uses of a global by name (constant expressions become instructions), calls of llvm.threadlocal.address, and the
// body's loads of the planned fields of its environment. legal: decided by the analysis (analysis/scratch.h); here it is
// only seen that variable and field exist. profitable: always, the plan needs it. rewrite: all functions, because those
// outside of packets find null. count: none is wanted.
#include "transform/privatize.h"

#include "program/own_objects.h"
#include "runtime/layout.h"
#include "transform/site.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace heddle {
namespace {

Error stale(const BodyPlan& body, const ScratchVariable& variable) {
  return diagnose("the plan's scratch variable " + variable.name + " is not there as it says",
                  "the plan does not fit this build: make it again with `heddle plan`", body.body);
}

class Privatizer {
public:
  explicit Privatizer(Module& module) : module_(module) {}

  Error add(const BodyPlan& body) {
    for (const ScratchVariable& variable : body.scratch) {
      if (variable.bytes == 0 || !isPowerOf2_32(variable.alignment)) return stale(body, variable);
      const std::string key = variable.global ? variable.name : body.body + " " + variable.name;
      auto [place, fresh] = places_.try_emplace(key, 0);
      if (fresh) {
        place->second = unsigned(alignTo(size_, variable.alignment));
        size_ = place->second + variable.bytes;
        if (variable.global)
          if (Error error = use_copies(body, variable, place->second)) return error;
      }
      if (variable.begins_as_before)
        if (Error error = begin_as_before(body, variable, place->second)) return error;
      if (Error error = use_fields(body, variable, place->second)) return error;
    }
    return Error::success();
  }

  // Of the variable that the call gives the address of.
  bool has_copies_of(const CallBase& address) const {
    return places_.contains(address.getArgOperand(0)->getName());
  }

  void finish() {
    if (size_ == 0) return;
    define_setting(module_, "heddle_scratch_size", size_);
    for (Function* function : changed_) {
      forget_conclusions(*function);
      for (User* user : function->users())
        if (auto* call = dyn_cast<CallBase>(user)) forget_conclusions(*call);
    }
  }

private:
  Error use_copies(const BodyPlan& body, const ScratchVariable& variable, unsigned offset) {
    GlobalVariable* global = module_.getGlobalVariable(variable.name, true);
    if (!global || module_.getDataLayout().getTypeAllocSize(global->getValueType()) != variable.bytes)
      return stale(body, variable);
    convertUsersOfConstantsToInstructions({global});
    SmallVector<Use*, 32> uses;
    SmallVector<Instruction*, 8> addresses;
    for (Use& use : global->uses()) {
      auto* user = dyn_cast<Instruction>(use.getUser());
      if (!user) continue; // of another global's initial value: it holds no such pointer where packets look
      auto* intrinsic = dyn_cast<IntrinsicInst>(user);
      if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address)
        addresses.push_back(user);
      else
        uses.push_back(&use);
    }
    DenseMap<BasicBlock*, Value*> at_end; // all ways from a block into a phi have one value
    for (Use* use : uses) {
      auto* user = cast<Instruction>(use->getUser());
      auto* phi = dyn_cast<PHINode>(user);
      if (!phi) {
        IRBuilder<> builder(user);
        use->set(copy_or(builder, global, offset));
        continue;
      }
      auto [copy, fresh] = at_end.try_emplace(phi->getIncomingBlock(*use), nullptr);
      if (fresh) {
        IRBuilder<> builder(copy->first->getTerminator());
        copy->second = copy_or(builder, global, offset);
      }
      use->set(copy->second);
    }
    for (Instruction* address : addresses)
      replace_after(*address, offset);
    return Error::success();
  }

  // At the packet's first instruction; where there are no copies, the variable onto itself.
  Error begin_as_before(const BodyPlan& body, const ScratchVariable& variable, unsigned offset) {
    Function* function = module_.getFunction(body.body);
    if (!function || function->isDeclaration()) return stale(body, variable);
    IRBuilder<> builder(&*function->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    auto before = scratch_address(builder, body, variable);
    if (!before) return before.takeError();
    APInt inside(64, 0);
    copied_.insert(cast<Instruction>(
        (*before)->stripAndAccumulateConstantOffsets(module_.getDataLayout(), inside, true)));
    builder.CreateMemMove(copy_or(builder, *before, offset), MaybeAlign(variable.alignment), *before,
                          MaybeAlign(variable.alignment), variable.bytes);
    return Error::success();
  }

  Error use_fields(const BodyPlan& body, const ScratchVariable& variable, unsigned offset) {
    if (variable.fields.empty()) return Error::success();
    Function* function = module_.getFunction(body.body);
    if (!function || function->isDeclaration()) return stale(body, variable);
    for (const ScratchField& field : variable.fields) {
      SmallVector<Instruction*, 4> loads;
      for (Instruction& instruction : instructions(*function)) {
        auto* load = dyn_cast<LoadInst>(&instruction);
        if (!load || !load->getType()->isPointerTy()) continue;
        APInt at(64, 0);
        const Value* base =
            load->getPointerOperand()->stripAndAccumulateConstantOffsets(module_.getDataLayout(), at, true);
        if (base == function->getArg(0) && at == field.field && !copied_.contains(load))
          loads.push_back(load);
      }
      if (loads.empty() || field.offset >= variable.bytes) return stale(body, variable);
      for (Instruction* load : loads)
        replace_after(*load, offset + field.offset);
    }
    return Error::success();
  }

  void replace_after(Instruction& address, unsigned offset) {
    SmallVector<Use*, 8> uses;
    for (Use& use : address.uses())
      uses.push_back(&use);
    IRBuilder<> builder(address.getParent(), std::next(address.getIterator()));
    builder.SetCurrentDebugLocation(address.getDebugLoc());
    Value* copy = copy_or(builder, &address, offset);
    for (Use* use : uses)
      use->set(copy);
  }

  Value* copy_or(IRBuilder<>& builder, Value* variable, unsigned offset) {
    changed_.insert(builder.GetInsertBlock()->getParent());
    Value* copies = builder.CreateLoad(builder.getPtrTy(), copies_field(builder), "copies");
    Value* copy = builder.CreateConstGEP1_64(builder.getInt8Ty(), copies, offset);
    return builder.CreateSelect(builder.CreateIsNull(copies), variable, copy);
  }

  Module& module_;
  StringMap<unsigned> places_; // offset of each variable's copy
  unsigned size_ = 0;
  SetVector<Function*> changed_;
  SmallPtrSet<Instruction*, 8> copied_; // where a variable's own address is wanted
};

// The only abort in there is for want of memory.
void say_before_abort(Function& own) {
  for (Instruction& instruction : instructions(own)) {
    auto* call = dyn_cast<CallBase>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->getName() != "abort") continue;
    IRBuilder<> builder(call);
    builder.CreateCall(own.getParent()->getOrInsertFunction("heddle_no_own_object", builder.getVoidTy()))
        ->setDoesNotThrow();
    return;
  }
}

} // namespace

Error privatize_scratch(Module& module, ArrayRef<const BodyPlan*> bodies) {
  Privatizer privatizer(module);
  for (const BodyPlan* body : bodies)
    if (Error error = privatizer.add(*body)) return error;
  privatizer.finish();
  settle_own_objects(module, [&](CallBase& asked, CallBase& slot) -> Value* {
    if (!privatizer.has_copies_of(slot)) return nullptr;
    say_before_abort(*asked.getFunction());
    IRBuilder<> builder(&asked);
    return builder.CreateIsNotNull(builder.CreateLoad(builder.getPtrTy(), copies_field(builder), "copies"));
  });
  return Error::success();
}

Expected<Value*> scratch_address(IRBuilder<>& builder, const BodyPlan& body,
                                 const ScratchVariable& variable) {
  const Function& function = *builder.GetInsertBlock()->getParent();
  if (!variable.global) {
    if (variable.fields.empty()) return stale(body, variable);
    const ScratchField& field = variable.fields.front();
    Value* place = builder.CreateConstGEP1_64(builder.getInt8Ty(), function.getArg(0), field.field);
    Value* inside = builder.CreateLoad(builder.getPtrTy(), place);
    return builder.CreateConstGEP1_64(builder.getInt8Ty(), inside, -int64_t(field.offset));
  }
  GlobalVariable* global = builder.GetInsertBlock()->getModule()->getGlobalVariable(variable.name, true);
  if (!global) return stale(body, variable);
  if (global->isThreadLocal()) return builder.CreateThreadLocalAddress(global);
  return global;
}

} // namespace heddle

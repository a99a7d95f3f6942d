#include "profile/instrument_loads.h"

#include "profile/loads.h"
#include "profile/runtime/loads_format.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle {

AccessPlaces find_accesses(Module& clone) {
  AccessPlaces places;
  for (const CountedLoad& load : counted_loads(clone))
    places.all.push_back({load.read.by, load.read.address, uint32_t(places.all.size())});
  for (Function& function : clone)
    for (Instruction& instruction : instructions(function))
      if (auto* store = dyn_cast<StoreInst>(&instruction);
          store && store->getPointerAddressSpace() == 0 &&
          !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())))
        places.all.push_back({store, store->getPointerOperand(), HEDDLE_LOADS_STORE});
  for (const TimedCall& timed : timed_calls(clone))
    places.calls.push_back(timed.call);
  return places;
}

static void time_calls(Module& clone, ArrayRef<CallInst*> calls) {
  if (calls.empty()) return;
  LLVMContext& context = clone.getContext();
  FunctionCallee tell = clone.getOrInsertFunction("heddle_profile_called", Type::getVoidTy(context),
                                                  Type::getInt64Ty(context), Type::getInt32Ty(context));
  for (uint32_t number = 0; number != calls.size(); ++number) {
    CallInst& timed = *calls[number];
    if (timed.getFunction()->hasFnAttribute(Attribute::Naked)) continue;
    IRBuilder<> before(&timed);
    Value* since = before.CreateIntrinsic(Intrinsic::readcyclecounter, {}, {});
    IRBuilder<> after(timed.getNextNode());
    CallInst* call = after.CreateCall(tell, {since, after.getInt32(number)});
    call->setCallingConv(CallingConv::PreserveMost);
    call->setDoesNotThrow();
  }
}

void watch_accesses(Module& clone, const AccessPlaces& places, bool shared) {
  time_calls(clone, places.calls);
  if (places.all.empty()) return;
  LLVMContext& context = clone.getContext();
  Type* word = Type::getInt32Ty(context);
  auto model = shared ? GlobalValue::InitialExecTLSModel : GlobalValue::LocalExecTLSModel;
  auto* watching = new GlobalVariable(clone, word, false, GlobalValue::ExternalLinkage, nullptr,
                                      "heddle_profile_watching", nullptr, model);
  watching->setDSOLocal(!shared);
  FunctionCallee tell = clone.getOrInsertFunction("heddle_profile_access", Type::getVoidTy(context),
                                                  PointerType::get(context, 0), word);
  MDNode* seldom = MDBuilder(context).createBranchWeights(1, 100);
  for (const auto& [access, address, load] : places.all) {
    if (access->getFunction()->hasFnAttribute(Attribute::Naked)) continue;
    IRBuilder<> builder(access);
    Value* on = builder.CreateIsNotNull(builder.CreateLoad(word, watching));
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(on, access, false, seldom));
    CallInst* call = builder.CreateCall(tell, {address, builder.getInt32(load)});
    call->setCallingConv(CallingConv::PreserveMost);
    call->setDoesNotThrow();
  }
}

} // namespace heddle

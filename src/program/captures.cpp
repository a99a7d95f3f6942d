// What pcap_next_ex and pcap_next deliver, as values.
//
// Both fill variables that programs usually have in front of the loop: `pcap_next_ex(p, &header, &data)`. Left as it is,
// that is memory which every packet writes and goes on to read: a window over the whole packet. It holds nothing from one
// packet to the next, but that does not show, because a call that fails leaves `data` as it was; only the program's own
// test of the result keeps it from being read then.
//
// Alternatives. To say in the model that the variables are always written is wrong: a program may print the last packet's
// length after a call that has failed. To have the body's proof of scratch variables follow results is a
// path-sensitive analysis for the sake of two functions.
//
// Choice: the call fills memory of its own, and what it brought is stored where the program wants it on a branch of ours:
//
//     r = pcap_next_ex(p, &header, &data)        r = pcap_next_ex(p, &own_header, &own_data)
//                                                header = own_header
//                                                if (r == 1) { data = own_data } else { r = min(r, 0) }
//
// Then LLVM's jump threading joins that branch with the program's tests of r (1, 0 or less are all that libpcap
// returns), and variables become values: on the way of a packet, its own, and nothing is carried from the one before
// unless the program uses it. What the program does is the same with the real function, so this is done to every
// call; whether a loop is staged is decided later.
#include "program/captures.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle {
namespace {

constexpr uint64_t header_size = 24; // of struct pcap_pkthdr

AllocaInst* own_memory(Function& function, Type* type, const Twine& name) {
  BasicBlock& entry = function.getEntryBlock();
  auto* memory = new AllocaInst(type, function.getDataLayout().getAllocaAddrSpace(), nullptr, Align(8), name,
                                entry.getFirstInsertionPt());
  return memory;
}

// The point behind the call, where it has returned.
Instruction* behind(CallBase& call) {
  if (auto* invoke = dyn_cast<InvokeInst>(&call))
    return SplitEdge(invoke->getParent(), invoke->getNormalDest())->getTerminator();
  return call.getNextNode();
}

// The argument's memory becomes the call's own, new for each call; returns it.
AllocaInst* replace_argument(CallBase& call, unsigned index, Type* type, const Twine& name) {
  AllocaInst* own = own_memory(*call.getFunction(), type, name);
  IRBuilder<> builder(&call);
  builder.CreateLifetimeStart(own, builder.getInt64(call.getDataLayout().getTypeAllocSize(type)));
  call.setArgOperand(index, own);
  if (auto* plain = dyn_cast<CallInst>(&call)) plain->setTailCallKind(CallInst::TCK_None);
  return own;
}

// `if (condition)` behind the call, with what the call returned either way; fills `then` by way of `fill`.
void branch_on(CallBase& call, Instruction* at, Value* condition, Value* if_got, Value* if_none,
               function_ref<void(IRBuilder<>&)> fill) {
  SmallVector<Use*, 8> uses;
  for (Use& use : call.uses())
    if (use.getUser() != condition && use.getUser() != if_none) uses.push_back(&use);
  Instruction *then = nullptr, *otherwise = nullptr;
  SplitBlockAndInsertIfThenElse(condition, at, &then, &otherwise);
  IRBuilder<> builder(then);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  fill(builder);
  builder.SetInsertPoint(at->getParent(), at->getParent()->begin());
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  PHINode* result = builder.CreatePHI(call.getType(), 2, "captured");
  result->addIncoming(if_got, then->getParent());
  result->addIncoming(if_none, otherwise->getParent());
  for (Use* use : uses)
    use->set(result);
}

void separate_next_ex(CallBase& call) {
  Value *header = call.getArgOperand(1), *data = call.getArgOperand(2);
  Type* pointer = header->getType();
  AllocaInst* own_header = replace_argument(call, 1, pointer, "captured.header");
  AllocaInst* own_data = replace_argument(call, 2, pointer, "captured.data");
  Instruction* at = behind(call);
  IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  builder.CreateStore(builder.CreateLoad(pointer, own_header), header); // libpcap always does
  Type* integer = call.getType();
  Value* got = builder.CreateICmpEQ(&call, ConstantInt::get(integer, 1), "captured");
  Value* none = builder.CreateBinaryIntrinsic(Intrinsic::smin, &call, ConstantInt::get(integer, 0));
  branch_on(call, at, got, ConstantInt::get(integer, 1), none,
            [&](IRBuilder<>& then) { then.CreateStore(then.CreateLoad(pointer, own_data), data); });
}

void separate_next(CallBase& call) {
  Value* header = call.getArgOperand(1);
  Type* bytes = ArrayType::get(Type::getInt8Ty(call.getContext()), header_size);
  AllocaInst* own = replace_argument(call, 1, bytes, "captured.header");
  Instruction* at = behind(call);
  IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  Value* got = builder.CreateIsNotNull(&call, "captured");
  branch_on(call, at, got, &call, Constant::getNullValue(call.getType()),
            [&](IRBuilder<>& then) { then.CreateMemCpy(header, Align(1), own, Align(8), header_size); });
}

bool fits(const CallBase& call, unsigned arguments, bool integer) {
  return call.arg_size() == arguments &&
         (integer ? call.getType()->isIntegerTy(32) : call.getType()->isPointerTy()) &&
         all_of(call.args(), [](const Use& argument) { return argument->getType()->isPointerTy(); });
}

SmallVector<CallBase*, 8> calls_of(Module& module, StringRef name) {
  SmallVector<CallBase*, 8> calls;
  Function* function = module.getFunction(name);
  if (!function || !function->isDeclaration()) return calls;
  for (User* user : function->users())
    if (auto* call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == function)
      if (!isa<CallBrInst>(call) && !call->isMustTailCall()) calls.push_back(call);
  return calls;
}

} // namespace

SmallVector<Function*, 4> separate_captured(Module& module) {
  SmallVector<Function*, 4> changed;
  auto note = [&](const CallBase& call) {
    Function* function = const_cast<Function*>(call.getFunction());
    if (!is_contained(changed, function)) changed.push_back(function);
  };
  for (CallBase* call : calls_of(module, "pcap_next_ex"))
    if (fits(*call, 3, true)) note(*call), separate_next_ex(*call);
  for (CallBase* call : calls_of(module, "pcap_next"))
    if (fits(*call, 2, false)) note(*call), separate_next(*call);
  return changed;
}

const Instruction* uses_capture_file(const Module& module) {
  for (const char* name : {"pcap_file", "pcap_fopen_offline", "pcap_fopen_offline_with_tstamp_precision"})
    if (const Function* function = module.getFunction(name))
      for (const User* user : function->users())
        if (const auto* at = dyn_cast<Instruction>(user)) return at;
  return nullptr;
}

// All uses of the function, if they are calls that `fits` takes.
static bool all_calls(const Module& module, StringRef name, function_ref<bool(const CallBase&)> fits) {
  const Function* function = module.getFunction(name);
  return !function || all_of(function->users(), [&](const User* user) {
    const auto* call = dyn_cast<CallBase>(user);
    return call && call->getCalledOperand() == function && fits(*call);
  });
}

static bool is_positive(const CallBase& call, unsigned argument) {
  const auto* number =
      argument < call.arg_size() ? dyn_cast<ConstantInt>(call.getArgOperand(argument)) : nullptr;
  return number && number->getSExtValue() > 0;
}

// A capture begins by pcap_open_live, or by pcap_activate, before which its time-out has to be set.
bool captures_time_out(const Module& module) {
  auto never = [](const CallBase&) { return false; };
  auto is_set = [&](const CallBase& activate) {
    const DominatorTree dominators(const_cast<Function&>(*activate.getFunction()));
    return any_of(activate.getArgOperand(0)->users(), [&](const User* user) {
      const auto* call = dyn_cast<CallBase>(user);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      return callee && callee->getName() == "pcap_set_timeout" &&
             call->getArgOperand(0) == activate.getArgOperand(0) && dominators.dominates(call, &activate);
    });
  };
  return (module.getFunction("pcap_open_live") || module.getFunction("pcap_activate")) &&
         all_calls(module, "pcap_open", never) &&
         all_calls(module, "pcap_open_live", [](const CallBase& call) { return is_positive(call, 3); }) &&
         all_calls(module, "pcap_set_timeout", [](const CallBase& call) { return is_positive(call, 1); }) &&
         all_calls(module, "pcap_activate", is_set);
}

} // namespace heddle

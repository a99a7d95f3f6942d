#include "verify/dependencies/calls.h"

#include "analysis/lock_calls.h"

#include "verify/dependencies/dpdk_layout.h"
#include "verify/dependencies/instrument.h"
#include "verify/dependencies/runtime/format.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <fcntl.h>

using namespace llvm;

namespace heddle {

using dependencies::ObjectKind;
using dependencies::what_write;
using Kind = LibraryEffect::Kind;
using Extent = LibraryEffect::Extent;

void RuntimeCalls::access(IRBuilder<>& builder, Value* address, uint32_t what, uint32_t place) {
  CallInst* made = call(builder, "access", {address, builder.getInt32(what), builder.getInt32(place)});
  made->setCallingConv(CallingConv::PreserveMost);
  made->getCalledFunction()->setCallingConv(CallingConv::PreserveMost);
}

void RuntimeCalls::range(IRBuilder<>& builder, Value* address, Value* size, uint32_t what, uint32_t place) {
  size = builder.CreateZExtOrTrunc(size, builder.getInt64Ty());
  CallInst* made = call(builder, "range", {address, size, builder.getInt32(what), builder.getInt32(place)});
  made->setCallingConv(CallingConv::PreserveMost);
  made->getCalledFunction()->setCallingConv(CallingConv::PreserveMost);
}

CallInst* RuntimeCalls::call(IRBuilder<>& builder, StringRef name, ArrayRef<Value*> arguments, Type* result) {
  std::vector<Type*> types;
  for (Value* argument : arguments)
    types.push_back(argument->getType());
  auto* type = FunctionType::get(result ? result : builder.getVoidTy(), types, name == "format");
  auto function = module_.getOrInsertFunction(("heddle_dependencies_" + name).str(), type);
  CallInst* made = builder.CreateCall(function, arguments);
  made->setDoesNotThrow();
  return made;
}

static bool is_masked(const CallBase& call) {
  Intrinsic::ID id = call.getIntrinsicID();
  return id == Intrinsic::masked_load || id == Intrinsic::masked_store || id == Intrinsic::masked_gather ||
         id == Intrinsic::masked_scatter;
}

bool CallInstrumenter::wanted(const CallBase& call) const {
  if (isa<MemIntrinsic>(call) || is_masked(call)) return true;
  const Function* function = call.getCalledFunction();
  if (!function || function->isIntrinsic() || call.isMustTailCall()) return false;
  if (library_function(*function)) return true;
  return function->isDeclaration() && !call.doesNotAccessMemory() &&
         !function->getName().starts_with("heddle_");
}

void CallInstrumenter::instrument(CallBase& call) {
  if (isa<MemIntrinsic>(call)) return memory_intrinsic(call);
  if (is_masked(call)) return masked(call);
  const LibraryFunction* function = library_function(*call.getCalledFunction());
  if (!function || function->more) unseen(call);
  static const LibraryFunction unknown;
  library_call(call, function ? *function : unknown);
}

void CallInstrumenter::memory_intrinsic(CallBase& call) {
  auto& memory = cast<MemIntrinsic>(call);
  IRBuilder<> builder(&call);
  const bool copies = isa<MemTransferInst>(call);
  const uint32_t place = result_.places.add(call, copies ? "memcpy" : "memset");
  if (auto* transfer = dyn_cast<MemTransferInst>(&call))
    runtime_.range(builder, transfer->getRawSource(), memory.getLength(), 0, place);
  runtime_.range(builder, memory.getRawDest(), memory.getLength(), what_write, place);
}

// A lane at a time; those that are masked out have no bytes.
void CallInstrumenter::masked(CallBase& call) {
  IRBuilder<> builder(&call);
  const Intrinsic::ID id = call.getIntrinsicID();
  const bool writes = id == Intrinsic::masked_store || id == Intrinsic::masked_scatter;
  const bool lanes_apart = id == Intrinsic::masked_gather || id == Intrinsic::masked_scatter;
  Value* address = call.getArgOperand(writes ? 1 : 0);
  Value* mask = call.getArgOperand(writes ? 3 : 2);
  auto* type = dyn_cast<FixedVectorType>(writes ? call.getArgOperand(0)->getType() : call.getType());
  if (!type) return;
  const uint32_t place = result_.places.add(call);
  const uint64_t size = layout_.getTypeStoreSize(type->getElementType()).getFixedValue();
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value* at = lanes_apart ? builder.CreateExtractElement(address, lane)
                            : builder.CreateConstGEP1_32(type->getElementType(), address, lane);
    Value* bytes = builder.CreateSelect(builder.CreateExtractElement(mask, lane), builder.getInt64(size),
                                        builder.getInt64(0));
    runtime_.range(builder, at, bytes, writes ? what_write : 0, place);
  }
}

void CallInstrumenter::unseen(CallBase& call) {
  const Function* function = call.getCalledFunction();
  auto [entry, fresh] = unseen_.try_emplace(function, uint32_t(result_.unseen.size()));
  if (fresh) result_.unseen.push_back(function->getName().str());
  IRBuilder<> builder(&call);
  runtime_.call(builder, "unseen", {builder.getInt32(entry->second)});
}

// Where control goes on after the call has returned; none when it does not.
static Instruction* place_after(CallBase& call) {
  if (call.doesNotReturn()) return nullptr;
  auto* invoke = dyn_cast<InvokeInst>(&call);
  if (!invoke) return call.getNextNode();
  BasicBlock* normal = invoke->getNormalDest();
  if (!normal->getSinglePredecessor()) normal = SplitEdge(invoke->getParent(), normal);
  return &*normal->getFirstInsertionPt();
}

static bool comes_after(Kind kind) {
  return kind == Kind::Write || kind == Kind::WriteResult || kind == Kind::New || kind == Kind::NewAt ||
         kind == Kind::NewDescriptor || kind == Kind::Get;
}

void CallInstrumenter::library_call(CallBase& call, const LibraryFunction& function) {
  const uint32_t place = result_.places.add(call, call.getCalledFunction()->getName());
  const bool outside = call.getCalledFunction()->isDeclaration() && !function.kept;
  const LockUse lock = lock_use(*call.getCalledFunction());
  uint32_t region = function.allocator ? dependencies::allocator_region : 0;
  if (lock != LockUse::None) region = dependencies::lock_region;
  IRBuilder<> ahead(&call);
  Value* inside =
      region ? runtime_.call(ahead, "enter", {ahead.getInt32(region)}, ahead.getInt32Ty()) : nullptr;
  for (const LibraryEffect& effect : function.effects)
    if (!comes_after(effect.kind)) before(call, effect, place);
  Instruction* next = place_after(call);
  if (!next) return;
  IRBuilder<> builder(next);
  Value* error = nullptr;
  if (outside && !function.allocator) error = runtime_.call(ahead, "errno", {}, ahead.getInt32Ty());
  if (error) runtime_.call(builder, "errno_after", {error, builder.getInt32(place)});
  if (function.allocator)
    runtime_.call(builder, "leave", {inside}); // what it hands out is not its own business
  for (const LibraryEffect& effect : function.effects)
    if (comes_after(effect.kind)) after(builder, call, effect, place);
  if (lock == LockUse::None) return;
  runtime_.call(builder, "leave", {inside});
  runtime_.call(builder, "lock",
                {builder.getInt32(lock == LockUse::Takes ? 1 : -1), builder.getInt32(place)});
}

static Value* argument_of(CallBase& call, int number) {
  return number >= 0 && unsigned(number) < call.arg_size() ? call.getArgOperand(unsigned(number)) : nullptr;
}

static Value* pointer_of(CallBase& call, int number) {
  Value* argument = argument_of(call, number);
  return argument && argument->getType()->isPointerTy() ? argument : nullptr;
}

static Value* number_of(IRBuilder<>& builder, CallBase& call, int number) {
  Value* argument = argument_of(call, number);
  if (!argument || !argument->getType()->isIntegerTy()) return nullptr;
  return builder.CreateZExtOrTrunc(argument, builder.getInt64Ty());
}

void CallInstrumenter::before(CallBase& call, const LibraryEffect& effect, uint32_t place) {
  IRBuilder<> builder(&call);
  Value* pointer = pointer_of(call, effect.argument);
  auto outside = [&](ObjectKind kind, Value* number, bool writes, Value* open_flags = nullptr) {
    Value* what = builder.getInt32(writes ? what_write : 0);
    if (open_flags) {
      Value* changing = builder.CreateAnd(open_flags, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
      what = builder.CreateSelect(builder.CreateIsNull(changing), builder.getInt32(0),
                                  builder.getInt32(what_write));
    }
    runtime_.call(builder, "outside",
                  {builder.getInt32(uint32_t(kind)), number, what, builder.getInt32(place)});
  };
  switch (effect.kind) {
  case Kind::Read:
    if (pointer) touch(builder, call, effect, pointer, 0, place);
    break;
  case Kind::Format:
    if (pointer) format(builder, call, unsigned(effect.argument), place);
    break;
  case Kind::Stream: {
    Value* stream = pointer;
    if (effect.argument < 0)
      stream = builder.CreateLoad(builder.getPtrTy(),
                                  call.getModule()->getOrInsertGlobal("stdout", builder.getPtrTy()));
    if (stream) outside(ObjectKind::Stream, builder.CreatePtrToInt(stream, builder.getInt64Ty()), true);
    break;
  }
  case Kind::Descriptor:
    if (Value* number = number_of(builder, call, effect.argument))
      outside(ObjectKind::Descriptor, number, true);
    break;
  case Kind::System:
    outside(ObjectKind::System, builder.getInt64(effect.system), effect.writes,
            number_of(builder, call, effect.argument));
    break;
  case Kind::Release:
    if (pointer) runtime_.call(builder, "freed", {pointer, builder.getInt32(place)});
    break;
  case Kind::Put:
    if (pointer) {
      Value* objects = pointer;
      if (effect.size_argument < 0) {
        IRBuilder<> entry(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
        objects = entry.CreateAlloca(builder.getPtrTy());
        builder.CreateStore(pointer, objects);
      }
      runtime_.call(builder, "pool_put",
                    {objects, count_of(builder, call, effect), pool_object_size(builder, call),
                     builder.getInt32(place)});
    }
    break;
  case Kind::FreeBuffers:
    if (pointer)
      runtime_.call(builder, "free_buffers",
                    {pointer, count_of(builder, call, effect), builder.getInt32(mbuf_pool_offset()),
                     builder.getInt32(mempool_element_size_offset()), builder.getInt32(place)});
    break;
  default:
    break;
  }
}

void CallInstrumenter::after(IRBuilder<>& builder, CallBase& call, const LibraryEffect& effect,
                             uint32_t place) {
  Value* pointer = pointer_of(call, effect.argument);
  Value* result = call.getType()->isPointerTy() ? &call : nullptr;
  switch (effect.kind) {
  case Kind::Write:
    if (pointer) touch(builder, call, effect, pointer, what_write, place);
    break;
  case Kind::WriteResult:
    if (result) touch(builder, call, effect, result, what_write, place);
    break;
  case Kind::New:
    if (result && effect.extent == Extent::String)
      runtime_.call(builder, "allocated_string", {result, builder.getInt32(place)});
    else if (Value* size = size_of(builder, call, effect); result && size)
      runtime_.call(builder, "allocated", {result, size, builder.getInt32(place)});
    break;
  case Kind::NewAt:
    if (Value* size = size_of(builder, call, effect); pointer && size)
      runtime_.call(builder, "allocated",
                    {builder.CreateLoad(builder.getPtrTy(), pointer), size, builder.getInt32(place)});
    break;
  case Kind::NewDescriptor:
    if (call.getType()->isIntegerTy())
      runtime_.call(builder, "new_descriptor", {builder.CreateSExtOrTrunc(&call, builder.getInt64Ty())});
    break;
  case Kind::Get:
    if (pointer)
      runtime_.call(builder, "pool_get",
                    {pointer, count_of(builder, call, effect), pool_object_size(builder, call)});
    break;
  default:
    break;
  }
}

// Null where the call has not the arguments that the table speaks of.
Value* CallInstrumenter::size_of(IRBuilder<>& builder, CallBase& call, const LibraryEffect& effect) {
  if (effect.extent == Extent::Bytes) return builder.getInt64(effect.bytes);
  Value* size = nullptr;
  if (effect.extent == Extent::Returned) {
    if (!call.getType()->isIntegerTy()) return nullptr;
    size = builder.CreateSExtOrTrunc(&call, builder.getInt64Ty());
    size = builder.CreateSelect(builder.CreateICmpSGT(size, builder.getInt64(0)), size, builder.getInt64(0));
  }
  for (int argument : {effect.size_argument, effect.size_argument2}) {
    if (argument < 0) continue;
    Value* factor = number_of(builder, call, argument);
    if (!factor) return nullptr;
    size = size ? builder.CreateMul(size, factor) : factor;
  }
  return size;
}

void CallInstrumenter::touch(IRBuilder<>& builder, CallBase& call, const LibraryEffect& effect,
                             Value* address, uint32_t what, uint32_t place) {
  if (isa<ConstantPointerNull>(address)) return;
  if (effect.extent == Extent::String) {
    Value* most = effect.size_argument < 0 ? builder.getInt64(UINT64_MAX)
                                           : number_of(builder, call, effect.size_argument);
    if (most)
      runtime_.call(builder, "string", {address, most, builder.getInt32(what), builder.getInt32(place)});
    return;
  }
  Value* size = size_of(builder, call, effect);
  if (!size) return;
  Value* exists = builder.CreateIsNotNull(address);
  runtime_.range(builder, address, builder.CreateSelect(exists, size, builder.getInt64(0)), what, place);
}

void CallInstrumenter::format(IRBuilder<>& builder, CallBase& call, unsigned argument, uint32_t place) {
  std::vector<Value*> pointers;
  for (unsigned i = argument + 1; i < call.arg_size(); ++i)
    if (call.getArgOperand(i)->getType()->isPointerTy()) pointers.push_back(call.getArgOperand(i));
  Type* word = builder.getInt32Ty();
  auto* type = FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), word, word}, true);
  std::vector<Value*> arguments{call.getArgOperand(argument), builder.getInt32(place),
                                builder.getInt32(uint32_t(pointers.size()))};
  append_range(arguments, pointers);
  builder.CreateCall(call.getModule()->getOrInsertFunction("heddle_dependencies_format", type), arguments)
      ->setDoesNotThrow();
}

Value* CallInstrumenter::pool_object_size(IRBuilder<>& builder, CallBase& call) {
  Value* size =
      builder.CreateConstGEP1_32(builder.getInt8Ty(), call.getArgOperand(0), mempool_element_size_offset());
  return builder.CreateLoad(builder.getInt32Ty(), size);
}

Value* CallInstrumenter::count_of(IRBuilder<>& builder, CallBase& call, const LibraryEffect& effect) {
  Value* count = number_of(builder, call, effect.size_argument);
  return count ? builder.CreateTrunc(count, builder.getInt32Ty()) : builder.getInt32(1);
}

} // namespace heddle

#include "specialize/bpf/sites.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Path.h"

#include <optional>

namespace heddle {

using namespace llvm;

uint64_t helper_of(const CallInst& call) {
  const auto* address = dyn_cast<ConstantExpr>(call.getCalledOperand());
  if (!address || address->getOpcode() != Instruction::IntToPtr) return 0;
  const auto* number = dyn_cast<ConstantInt>(address->getOperand(0));
  return number ? number->getZExtValue() : 0;
}

std::string place_of(const Instruction& instruction) {
  const DebugLoc& at = instruction.getDebugLoc();
  if (!at) return instruction.getFunction()->getName().str();
  const auto* scope = cast<DIScope>(at.getScope());
  return (sys::path::filename(scope->getFilename()) + ":" + Twine(at.getLine())).str();
}

namespace {

// What an instruction writes through its pointer operand; nothing where that is not known.
std::optional<uint64_t> written_bytes(const Instruction& user) {
  const DataLayout& layout = user.getModule()->getDataLayout();
  if (const auto* store = dyn_cast<StoreInst>(&user))
    return layout.getTypeStoreSize(store->getValueOperand()->getType());
  if (const auto* change = dyn_cast<AtomicRMWInst>(&user))
    return layout.getTypeStoreSize(change->getValOperand()->getType());
  if (const auto* change = dyn_cast<AtomicCmpXchgInst>(&user))
    return layout.getTypeStoreSize(change->getNewValOperand()->getType());
  const auto* length = dyn_cast<ConstantInt>(cast<MemIntrinsic>(user).getLength());
  return length ? std::optional(length->getZExtValue()) : std::nullopt;
}

// Follows one map's address and the pointers to its values to all their uses.
class Follower {
public:
  explicit Follower(MapUses& uses) : uses_(uses) {}

  void follow_map(const Value& map) {
    for (const Use& use : map.uses()) {
      if (auto* call = dyn_cast<CallInst>(use.getUser()))
        follow_call(*call, use.getOperandNo());
      else if (auto* instruction = dyn_cast<Instruction>(use.getUser()))
        refuse("unknown-use", *instruction);
      // A constant: the list of what the compiler must keep, or part of an instruction's operand.
      else if (!isa<ConstantAggregate>(use.getUser()))
        follow_map(*use.getUser());
    }
  }

private:
  void refuse(StringRef reason, const Instruction& where) {
    if (!uses_.reason.empty()) return;
    uses_.reason = reason;
    uses_.where = place_of(where);
  }

  void follow_call(CallInst& call, unsigned operand) {
    Helper helper{helper_of(call)};
    if (operand != 0) return refuse("unknown-use", call);
    if (helper == Helper::MapLookup) {
      uses_.lookups.push_back(&call);
      follow_value(call, 0);
    } else if (helper == Helper::MapUpdate) {
      uses_.updates.push_back(&call);
      refuse("data-plane-updates", call);
    } else if (helper == Helper::MapDelete) {
      uses_.deletes.push_back(&call);
      refuse("data-plane-updates", call);
    } else {
      refuse("unknown-use", call);
    }
  }

  // Where in a value a pointer is; nothing: not always at the same place.
  using Offset = std::optional<uint64_t>;

  // A pointer that is found at a second place is followed once more, as one whose place is not known.
  void follow_value(Value& pointer, Offset at) {
    auto [known, is_new] = seen_.try_emplace(&pointer, at);
    if (!is_new) {
      if (known->second == at || !known->second) return;
      known->second = at = std::nullopt;
    }
    for (const Use& use : pointer.uses())
      if (auto* user = dyn_cast<Instruction>(use.getUser())) follow_user(*user, use.getOperandNo(), at);
  }

  static Offset step(const GetElementPtrInst& step, Offset at) {
    const DataLayout& layout = step.getModule()->getDataLayout();
    APInt more(layout.getIndexTypeSizeInBits(step.getType()), 0);
    if (!at || !step.accumulateConstantOffset(layout, more)) return std::nullopt;
    int64_t sum = int64_t(*at) + more.getSExtValue();
    return sum >= 0 ? Offset(sum) : std::nullopt;
  }

  void follow_user(Instruction& user, unsigned operand, Offset at) {
    if (isa<LoadInst, ICmpInst, DbgInfoIntrinsic>(user)) return;
    if (auto* field = dyn_cast<GetElementPtrInst>(&user)) return follow_value(user, step(*field, at));
    if (isa<PHINode, SelectInst, BitCastInst>(user)) return follow_value(user, at);
    bool is_stored = (isa<StoreInst>(user) && operand != StoreInst::getPointerOperandIndex()) ||
                     (isa<AtomicRMWInst, AtomicCmpXchgInst>(user) && operand != 0);
    if (is_stored) return refuse("value-escapes", user);
    if (isa<MemTransferInst>(user) && operand == 1) return;
    if (isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst, MemIntrinsic>(user)) return write(user, at);
    if (auto* call = dyn_cast<CallInst>(&user); call && only_reads(*call, operand)) return;
    refuse("value-escapes", user);
  }

  void write(Instruction& user, Offset at) {
    auto bytes = written_bytes(user);
    if (!at || !bytes) return refuse("data-plane-writes", user);
    if (uses_.written.empty()) uses_.first_write = place_of(user);
    ByteRange range{*at, *at + *bytes};
    if (!is_contained(uses_.written, range)) uses_.written.push_back(range);
  }

  static bool only_reads(const CallInst& call, unsigned operand) {
    switch (Helper{helper_of(call)}) {
    case Helper::MapLookup:
    case Helper::MapDelete:
      return operand == 1;
    case Helper::MapUpdate:
      return operand == 1 || operand == 2;
    case Helper::CsumDiff:
      return operand == 0 || operand == 2;
    }
    return false;
  }

  MapUses& uses_;
  DenseMap<Value*, Offset> seen_;
};

// Packet pointers come out of the context as 32-bit numbers.
bool is_packet(const Value& object) {
  const auto* pointer = dyn_cast<IntToPtrInst>(&object);
  if (!pointer) return false;
  const auto* wide = dyn_cast<ZExtInst>(pointer->getOperand(0));
  const auto* load = dyn_cast<LoadInst>(wide ? wide->getOperand(0) : pointer->getOperand(0));
  return load && isa<Argument>(getUnderlyingObject(load->getPointerOperand()));
}

} // namespace

std::vector<MapUses> find_map_uses(Module& module) {
  std::vector<MapUses> found;
  for (GlobalVariable& variable : module.globals()) {
    if (variable.getSection() != ".maps") continue;
    MapUses uses;
    uses.map = &variable;
    uses.name = variable.getName();
    Follower(uses).follow_map(variable);
    found.push_back(std::move(uses));
  }
  return found;
}

bool is_own_memory(const Value& pointer, const SmallPtrSetImpl<const Value*>& inlined) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, /*MaxLookup=*/0);
  return all_of(objects, [&](const Value* object) {
    if (inlined.contains(object)) return true;
    if (const auto* variable = dyn_cast<GlobalVariable>(object)) return variable->isConstant();
    return isa<AllocaInst, ConstantPointerNull, UndefValue>(object) || is_packet(*object) ||
           (isa<Argument>(object) && cast<Argument>(object)->getArgNo() == 0);
  });
}

bool meets_others(const Instruction& instruction, const SmallPtrSetImpl<const Value*>& inlined) {
  auto own = [&](const Value* pointer) { return is_own_memory(*pointer, inlined); };
  if (instruction.isVolatile() || instruction.isAtomic()) return true;
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return !own(load->getPointerOperand());
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return !own(store->getPointerOperand());
  if (const auto* copy = dyn_cast<MemTransferInst>(&instruction))
    return !own(copy->getDest()) || !own(copy->getSource());
  if (const auto* fill = dyn_cast<MemSetInst>(&instruction)) return !own(fill->getDest());
  if (const auto* call = dyn_cast<CallInst>(&instruction)) {
    const auto* intrinsic = dyn_cast<IntrinsicInst>(call);
    return !(intrinsic && (intrinsic->doesNotAccessMemory() || intrinsic->isLifetimeStartOrEnd() ||
                           intrinsic->isAssumeLikeIntrinsic()));
  }
  return instruction.mayReadOrWriteMemory();
}

} // namespace heddle

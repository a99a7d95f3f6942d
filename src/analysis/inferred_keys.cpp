#include "analysis/inferred_keys.h"

#include "program/claims.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <numeric>
#include <set>

using namespace llvm;

namespace heddle {

namespace {

constexpr size_t many_objects = 64, many_accesses = 4096;

// The pointer by which the instruction makes the access; null: not known.
const Value* pointer_of(const Access& access) {
  if (access.atomic || access.implied) return nullptr;
  if (const auto* load = dyn_cast<LoadInst>(access.at)) return load->getPointerOperand();
  if (const auto* store = dyn_cast<StoreInst>(access.at)) return store->getPointerOperand();
  if (const auto* copy = dyn_cast<MemTransferInst>(access.at))
    return access.write ? copy->getRawDest() : copy->getRawSource();
  if (const auto* fill = dyn_cast<MemSetInst>(access.at)) return fill->getRawDest();
  return nullptr;
}

// Does an object of the analysis stand for many at run time, in each of which one place has an address of its own?
bool are_many(const MemoryObject& object) {
  return object.kind == ObjectKind::Heap || object.kind == ObjectKind::Packet;
}

// Where records begin, as far as accesses at offsets from their beginnings show: x = begin (mod stride); stride 0: there alone. And
// the bytes of a record that they touch.
class Records {
public:
  void add(const Access& access, int64_t offset) {
    const Place begin = access.place.moved(-offset);
    if (empty()) begin_ = begin.offset;
    stride_ = std::gcd(std::gcd(stride_, begin.stride), uint64_t(std::abs(begin.offset - begin_)));
    low_ = std::min(low_, offset);
    high_ = std::max(high_, offset + int64_t(access.size));
  }

  bool empty() const { return low_ > high_; }
  // Does no byte of one record belong to another one of the same object, too?
  bool are_apart(const MemoryObject& object) const {
    return stride_ == 0 ? are_many(object) : uint64_t(high_ - low_) <= stride_;
  }

private:
  int64_t begin_ = 0, low_ = INT64_MAX, high_ = INT64_MIN;
  uint64_t stride_ = 0;
};

} // namespace

struct InferredKeys::Followed {
  std::set<std::pair<const Argument*, int64_t>> at;
};

InferredKeys::InferredKeys(const Function& body, ArrayRef<const Function*> bodies, const Effects& effects)
    : effects_(effects), bodies_(bodies.begin(), bodies.end()) {
  uint32_t number = 0;
  for (const Function* function : effects.reach(body)) {
    nested_ |= function != &body && bodies_.contains(function);
    for (const Instruction& instruction : instructions(*function)) {
      if (can_be_claimed(instruction)) order_[&instruction] = number++;
      const ArrayRef<Access> made = effects.of(instruction);
      for (const Access& access : made)
        if (made.size() > many_objects)
          reached_broadly_.insert(access.object);
        else
          accesses_[access.object].push_back(&access);
      if (const auto* call = dyn_cast<CallBase>(&instruction))
        for (const Function* callee : effects.points_to().callees(*call))
          callers_[callee].push_back(call);
    }
  }
}

bool InferredKeys::follow(const Value& pointer, int64_t offset, std::vector<Found>& found,
                          Followed& arguments) const {
  const DataLayout& layout = effects_.points_to().module().getDataLayout();
  APInt moved(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const Value* base = pointer.stripAndAccumulateConstantOffsets(layout, moved, /*AllowNonInbounds=*/true);
  offset += moved.getSExtValue();
  if (const auto* instruction = dyn_cast<Instruction>(base)) {
    if (!can_be_claimed(*instruction)) return false;
    found.push_back({instruction, offset});
    return true;
  }
  const auto* argument = dyn_cast<Argument>(base);
  if (!argument || argument->hasPassPointeeByValueCopyAttr()) return false;
  if (!arguments.at.insert({argument, offset}).second) return true;
  auto same = [&](const auto& other) { return other.first == argument; };
  if (count_if(arguments.at, same) > 1) return false; // it moves on with every call
  const Function& function = *argument->getParent();
  auto callers = callers_.find(&function);
  if (bodies_.contains(&function) || function.hasAddressTaken() || callers == callers_.end()) return false;
  return all_of(callers->second, [&](const CallBase* call) {
    return argument->getArgNo() < call->arg_size() && call->getCalledFunction() == &function &&
           follow(*call->getArgOperand(argument->getArgNo()), offset, found, arguments);
  });
}

InferredKeys::Roots InferredKeys::roots_of(const AccessKey& write) const {
  auto known = accesses_.find(write.object);
  if (nested_ || known == accesses_.end() || reached_broadly_.contains(write.object) ||
      known->second.size() > many_accesses)
    return {};
  std::set<std::pair<uint32_t, const Instruction*>> roots;
  Records records;
  for (const Access* made : known->second) {
    const Access& access = *made;
    if (!may_overlap(access.place, access.size, write.place, write.size)) continue;
    const Value* pointer = pointer_of(access);
    if (!pointer || access.size == unknown_size || access.size > uint64_t(INT32_MAX)) return {};
    std::vector<Found> found;
    Followed arguments;
    if (!follow(*pointer, 0, found, arguments)) return {};
    for (auto [root, offset] : found) {
      records.add(access, offset);
      roots.insert({order_.at(root), root});
    }
  }
  if (records.empty() || !records.are_apart(effects_.points_to().objects()[write.object])) return {};
  Roots result;
  for (const auto& [number, root] : roots)
    result.push_back(root);
  return result;
}

std::optional<unsigned> claimed_as(const InferredKeys::Roots& roots) {
  std::optional<unsigned> key;
  for (const Instruction* root : roots) {
    const Instruction* at = &place_of_claim(*root);
    Claim claim = claim_of(*at->getParent());
    while (claim.call == at && &claimed_value(claim) != root) { // that of another phi of the block
      at = &*at->getParent()->getSingleSuccessor()->begin();
      claim = claim_of(*at->getParent());
    }
    if (claim.call != at || (key && *key != claim.key)) return std::nullopt;
    key = claim.key;
  }
  return key;
}

} // namespace heddle

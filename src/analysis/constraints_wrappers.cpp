// Allocation wrappers: which functions return fresh memory, and which object each call site stands for.
#include "analysis/constraints.h"

#include "program/own_objects.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle {

// One allocation in a wrapper stands for at most this many call sites; beyond, they share one object.
static constexpr size_t most_clones = 1500;

bool ConstraintBuilder::is_named_allocator(const Function& function) const {
  if (function.isDeclaration()) return false;
  return allocators_.contains(function.getName()) || allocators_.contains(declared_name(function));
}

bool ConstraintBuilder::is_allocator(const Function& function) const {
  if (is_named_allocator(function)) return true;
  const ExternalModel* model = model_of(function);
  return model && model->has_fresh_result();
}

static const Function* direct_callee(const CallBase& call) {
  return dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
}

bool ConstraintBuilder::allocates(const CallBase& call) {
  const Function* callee = direct_callee(call);
  if (!callee) return false;
  return is_allocator(*callee) ||
         (!callee->isDeclaration() && !model_of(*callee) && !wrapper(*callee).fresh.empty());
}

// posix_memalign and the like: the loaded value of a local that nothing else gets the address of.
const CallBase* ConstraintBuilder::fresh_out_argument(const Value* value) const {
  auto* load = dyn_cast<LoadInst>(value);
  auto* local = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  if (!local) return nullptr;
  const CallBase* allocation = nullptr;
  for (const User* user : local->users()) {
    if (isa<LoadInst>(user) || isa<DbgInfoIntrinsic>(user)) continue;
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(user); intrinsic && intrinsic->isLifetimeStartOrEnd())
      continue;
    auto* store = dyn_cast<StoreInst>(user);
    if (store && store->getPointerOperand() == local && isa<Constant>(store->getValueOperand())) continue;
    auto* call = dyn_cast<CallBase>(user);
    const Function* callee = call ? direct_callee(*call) : nullptr;
    if (allocation || !callee || callee->getName() != "posix_memalign" || call->getArgOperand(0) != local)
      return nullptr;
    allocation = call;
  }
  return allocation;
}

// Does the pointer lead back to an argument, through steps and joins only? Others keep their exact offsets.
static bool comes_from_argument(const Value* value) {
  SmallPtrSet<const Value*, 16> visited;
  SmallVector<const Value*, 8> work{value};
  bool found = false;
  while (!work.empty()) {
    const Value* next = work.pop_back_val();
    if (!visited.insert(next).second || isa<ConstantData>(next)) continue;
    if (isa<Argument>(next))
      found = true;
    else if (auto* gep = dyn_cast<GetElementPtrInst>(next))
      work.push_back(gep->getPointerOperand());
    else if (isa<PHINode>(next) || isa<SelectInst>(next))
      for (const Use& operand : cast<Instruction>(next)->operands()) {
        if (operand->getType()->isPointerTy()) work.push_back(operand);
      }
    else if (!isa<CallBase>(next))
      return false;
  }
  return found;
}

// The call of a function that only returns arguments of its own: go on with what it is given.
void ConstraintBuilder::find_passed_by(const CallBase& call, bool moved,
                                       SmallVectorImpl<std::pair<const Value*, bool>>& work,
                                       Wrapper& result) {
  const Function* callee = direct_callee(call);
  const Wrapper* inner =
      callee && !callee->isDeclaration() && !model_of(*callee) ? &wrapper(*callee) : nullptr;
  bool passes = inner && !inner->passed.empty() && inner->fresh.empty() && inner->others.empty();
  if (!passes) {
    result.others.push_back({&call, moved});
    return;
  }
  for (const Passed& passed : inner->passed)
    if (passed.argument < call.arg_size())
      work.push_back({call.getArgOperand(passed.argument), moved || passed.moved});
}

void ConstraintBuilder::find_leaves(const Function& function, const Value* value, Wrapper& result) {
  SmallPtrSet<const Value*, 16> visited[2];
  SmallVector<std::pair<const Value*, bool>, 8> work{{value, false}};
  while (!work.empty()) {
    auto [leaf, moved] = work.pop_back_val();
    if (!visited[moved].insert(leaf).second || isa<ConstantData>(leaf)) continue;
    if (auto* phi = dyn_cast<PHINode>(leaf)) {
      for (const Value* incoming : phi->incoming_values())
        work.push_back({incoming, moved});
    } else if (auto* select = dyn_cast<SelectInst>(leaf)) {
      work.push_back({select->getTrueValue(), moved});
      work.push_back({select->getFalseValue(), moved});
    } else if (auto* argument = dyn_cast<Argument>(leaf); argument && !argument->hasByValAttr()) {
      Passed passed{argument->getArgNo(), moved};
      if (!is_contained(result.passed, passed)) result.passed.push_back(passed);
    } else if (auto* gep = dyn_cast<GetElementPtrInst>(leaf)) {
      APInt bytes(64, 0);
      auto* base = dyn_cast<CallBase>(gep->getPointerOperand());
      if (base && allocates(*base) && !moved && gep->accumulateConstantOffset(layout_, bytes))
        result.fresh.push_back({base, bytes.getSExtValue()});
      else if (gep->getType()->isPointerTy() && comes_from_argument(gep->getPointerOperand()))
        work.push_back({gep->getPointerOperand(), true});
      else
        result.others.push_back({gep, moved});
    } else if (auto* call = dyn_cast<CallBase>(leaf)) {
      if (!allocates(*call) || gives_own_object(function)) // all its callers get the same
        find_passed_by(*call, moved, work, result);
      else if (moved)
        result.others.push_back({leaf, moved});
      else
        result.fresh.push_back({call, 0});
    } else if (const CallBase* allocation = moved ? nullptr : fresh_out_argument(leaf)) {
      result.fresh.push_back({allocation, 0});
    } else {
      result.others.push_back({leaf, moved});
    }
  }
}

const ConstraintBuilder::Wrapper& ConstraintBuilder::wrapper(const Function& function) {
  std::unique_ptr<Wrapper>& slot = wrappers_[&function];
  if (slot) return *slot; // a function that is being looked at (recursion) is none
  slot = std::make_unique<Wrapper>();
  Wrapper* result = slot.get();
  if (!function.getReturnType()->isPointerTy() || function.isDeclaration()) return *result;
  Wrapper found;
  for (const BasicBlock& block : function)
    if (auto* ret = dyn_cast<ReturnInst>(block.getTerminator()))
      find_leaves(function, ret->getReturnValue(), found);
  found.is_wrapper = !found.fresh.empty() || !found.passed.empty();
  *result = std::move(found);
  if (result->is_wrapper)
    for (auto [other, moved] : result->others) {
      if (moved)
        solver_.add_index(value(other), returned(function), 1, 0);
      else
        solver_.add_copy(value(other), returned(function));
    }
  return *result;
}

// The call sites that `call`'s fresh memory is told apart by.
void ConstraintBuilder::clone_sites(const CallBase& call, unsigned depth, SetVector<const CallBase*>& sites) {
  const Function& function = *call.getFunction();
  bool cloned = depth > 0 && sites.size() < most_clones && wrapper(function).is_wrapper &&
                any_of(wrapper(function).fresh, [&](const Leaf& leaf) { return leaf.call == &call; });
  if (!cloned) {
    sites.insert(&call);
    return;
  }
  bool other_uses = !function.hasLocalLinkage();
  for (const Use& use : function.uses()) {
    auto* caller = dyn_cast<CallBase>(use.getUser());
    if (caller && caller->isCallee(&use))
      clone_sites(*caller, depth - 1, sites);
    else
      other_uses = true;
  }
  // Calls that are not seen (through pointers, from outside) share an object at the allocation itself.
  if (other_uses || sites.empty()) sites.insert(&call);
}

ArrayRef<ObjectId> ConstraintBuilder::fresh_objects(const CallBase& call) {
  auto found = fresh_.find(&call);
  if (found != fresh_.end()) return found->second;
  SetVector<const CallBase*> sites;
  clone_sites(call, options_.wrapper_depth, sites);
  std::vector<ObjectId> objects;
  for (const CallBase* site : sites) {
    auto [entry, fresh] = site_objects_.try_emplace(site, 0);
    if (fresh) {
      ObjectId object = new_object(ObjectKind::Heap, site);
      site_objects_[site] = object;
      objects.push_back(object);
    } else {
      objects.push_back(entry->second);
    }
  }
  const Function* callee = direct_callee(call);
  if (callee && is_named_allocator(*callee) && reported_.insert(callee).second)
    report_.pool_allocators.push_back({callee->getName().str(), source_of(callee), callee});
  return fresh_[&call] = std::move(objects);
}

void ConstraintBuilder::add_passed(const CallBase& call, const Function& function) {
  for (const Passed& passed : wrapper(function).passed) {
    if (passed.argument >= call.arg_size()) continue;
    NodeId actual = value(call.getArgOperand(passed.argument));
    if (passed.moved)
      solver_.add_index(actual, value(&call), 1, 0);
    else
      solver_.add_copy(actual, value(&call));
  }
}

// A direct call of a wrapper: what is fresh, as the call site's own objects. The rest comes with returned().
void ConstraintBuilder::add_wrapper_result(const CallBase& call, const Function& function) {
  SmallVector<int64_t, 2> offsets;
  for (const Leaf& leaf : wrapper(function).fresh)
    if (!is_contained(offsets, leaf.offset)) offsets.push_back(leaf.offset);
  for (ObjectId object : fresh_objects(call))
    for (int64_t offset : offsets)
      solver_.add_address(value(&call), object, Place::at(offset));
}

// A call that is not seen: the objects of the allocations themselves.
void ConstraintBuilder::add_generic_result(const Function& function, NodeId to) {
  if (!wrapper(function).is_wrapper) return;
  for (const Leaf& leaf : wrapper(function).fresh) {
    (void)fresh_objects(*leaf.call); // makes the object, if there is one
    auto own = site_objects_.find(leaf.call);
    if (own != site_objects_.end()) solver_.add_address(to, own->second, Place::at(leaf.offset));
  }
}

} // namespace heddle

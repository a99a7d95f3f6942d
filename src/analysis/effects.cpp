// Effects of instructions, and their sums over calls.
//
// A summary is the union over everything that a call may run. Functions that call each other in a cycle share
// theirs. With rare code a function counts twice, as common code calls it and as rare code does: what rare code calls is
// done on a rare path, and never leads back to common code. Else a function that may log an error, by way of pointers
// that may lead anywhere, would do in common code all that the program does. The sums go bottom-up over the components
// of that graph, as bit vectors of interned accesses; the instruction that stands for an access is looked up when
// somebody asks. Reads of constants are
// left out, and in summaries the frames of the callees, unless a pointer to one is kept outside the stack.
#include "analysis/effects.h"

#include "analysis/effects_calls.h"
#include "analysis/effects_updates.h"
#include "analysis/locks.h"
#include "analysis/solver_components.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <set>
#include <unordered_map>

using namespace llvm;

namespace heddle {

namespace {

struct SameEffect { // equal but for the instruction
  size_t operator()(const Access& a) const {
    return hash_combine(a.object, a.place.offset, a.place.stride, a.place.low, a.place.high, a.size, a.write,
                        a.atomic, unsigned(a.update), a.implied, a.rare, a.deferrable, unsigned(a.flow),
                        a.groups);
  }
  bool operator()(const Access& a, const Access& b) const {
    return a.object == b.object && a.place == b.place && a.size == b.size && a.write == b.write &&
           a.atomic == b.atomic && a.update == b.update && a.implied == b.implied && a.rare == b.rare &&
           a.deferrable == b.deferrable && a.flow == b.flow && a.groups == b.groups;
  }
};

using AccessIds = SparseBitVector<>;

struct Component { // functions that call each other, all from common or all from rare code
  std::vector<const Function*> members;
  bool rare = false;
  AccessIds accesses;
  SparseBitVector<> reach; // components, itself included
  std::vector<Access> summary;
  std::vector<const Function*> functions;
  bool has_summary = false, has_functions = false;
};

} // namespace

struct Effects::State {
  State(const PointsTo& points_to, RareBlocks rare, const CommutingGroups* groups, bool output_declared)
      : points_to(points_to), groups(groups), rare(std::move(rare)), output_declared(output_declared),
        updates(points_to.module(), this->rare) {}

  const PointsTo& points_to;
  const CommutingGroups* groups; // may be null
  RareBlocks rare;
  bool output_declared;
  Updates updates;
  DenseMap<const Instruction*, std::vector<Access>> cache;
  std::unordered_map<Access, uint32_t, SameEffect, SameEffect> ids;
  std::vector<Access> interned;
  DenseMap<const Function*, std::vector<std::pair<uint32_t, const Instruction*>>> local;
  DenseMap<const Function*, uint32_t> component_of[2]; // as called from common and from rare code
  std::vector<Component> components;
  ObjectSet kept_frames; // stack objects that something outside the stack points to

  const std::vector<Access>& of(const Instruction& instruction);
  std::vector<Access> compute(const Instruction& instruction);
  void settle();
  void settle_functions(std::vector<const Function*>& functions);
  void settle_component(ArrayRef<uint32_t> members, const std::vector<const Function*>& functions);
  Component& component(const Function& function);
  bool is_rare(const Instruction& instruction) const { return rare && rare(*instruction.getParent()); }
  uint32_t intern(const Access& access);
  GroupSet groups_of(const Function& function) const { return groups ? groups->of(function) : 0; }
  const AccessIds& within_group(const Function& function);
  std::vector<Access> summarise(const AccessIds& accesses, ArrayRef<const Function*> order);
  uint32_t variant(uint32_t id, bool rare, GroupSet groups);
  AccessIds as_rare(const AccessIds& accesses);
  std::unordered_map<const Function*, AccessIds> in_groups;       // by member of a group
  DenseMap<const Function*, std::vector<Access>> group_summaries; // likewise
  // By id: the same access in rare code, in a call of a group. May take two steps.
  std::vector<SmallVector<uint32_t, 2>> variants;
};

std::vector<Access> Effects::State::compute(const Instruction& instruction) {
  AccessList list(points_to, instruction);
  if (auto* call = dyn_cast<CallBase>(&instruction)) {
    add_call_accesses(*call, list, output_declared);
    return list.take();
  }
  auto touch = [&](const Value* pointer, Type* type, bool write, bool atomic) {
    uint64_t size = points_to.module().getDataLayout().getTypeStoreSize(type).getKnownMinValue();
    list.add(pointer, size, write, atomic, updates.find(instruction));
  };
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    touch(load->getPointerOperand(), load->getType(), false, load->isAtomic());
  if (auto* store = dyn_cast<StoreInst>(&instruction))
    touch(store->getPointerOperand(), store->getValueOperand()->getType(), true,
          store->isAtomic() || store->isVolatile());
  if (auto* update = dyn_cast<AtomicRMWInst>(&instruction))
    for (bool write : {false, true})
      touch(update->getPointerOperand(), update->getType(), write, true);
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    for (bool write : {false, true})
      touch(exchange->getPointerOperand(), exchange->getNewValOperand()->getType(), write, true);
  if (auto* argument = dyn_cast<VAArgInst>(&instruction))
    for (bool write : {false, true})
      list.add(argument->getPointerOperand(), 24, write, false, {});
  return list.take();
}

const std::vector<Access>& Effects::State::of(const Instruction& instruction) {
  static const std::vector<Access> none;
  if (!instruction.mayReadOrWriteMemory() && !isa<CallBase>(instruction)) return none;
  auto found = cache.find(&instruction);
  if (found != cache.end()) return found->second;
  std::vector<Access> accesses = compute(instruction);
  if (const auto* call = dyn_cast<CallBase>(&instruction); call && call->getCalledFunction())
    if (lock_use(*call->getCalledFunction()) != LockUse::None)
      for (Access& access : accesses)
        access.groups |= lock_group;
  const bool rarely = is_rare(instruction);
  for (Access& access : accesses) {
    access.rare |= rarely;
    access.id = intern(access);
  }
  return cache[&instruction] = std::move(accesses);
}

// --- Summaries --------------------------------------------------------------------------------------------

void Effects::State::settle_functions(std::vector<const Function*>& functions) {
  const auto& objects = points_to.objects();
  for (const MemoryObject& object : objects)
    if (object.kind != ObjectKind::Stack)
      for (ObjectId pointee : points_to.contents(object.id))
        if (objects[pointee].kind == ObjectKind::Stack) kept_frames.set(pointee);
  for (const Function& function : points_to.module()) {
    if (function.isDeclaration()) continue;
    functions.push_back(&function);
    auto& own = local[&function];
    DenseSet<uint32_t> known;
    for (const Instruction& instruction : instructions(function))
      for (const Access& access : of(instruction)) {
        if (known.insert(access.id).second) own.push_back({access.id, &instruction});
      }
  }
}

uint32_t Effects::State::intern(const Access& access) {
  auto [entry, fresh] = ids.try_emplace(access, interned.size());
  if (fresh) {
    interned.push_back(access);
    interned.back().id = entry->second;
    variants.emplace_back();
  }
  return entry->second;
}

// The same access in rare code, or in a call of a group; the system's state is never a group's.
uint32_t Effects::State::variant(uint32_t id, bool rare, GroupSet groups) {
  Access access = interned[id];
  access.rare |= rare;
  if (points_to.objects()[access.object].kind != ObjectKind::System)
    access.groups |= groups;
  else if (groups)
    access.deferrable = false; // channels.cpp
  uint32_t made = intern(access);
  if (made != id && !is_contained(variants[id], made)) variants[id].push_back(made);
  return made;
}

// What rare code calls is done on a rare path, whatever code does it.
AccessIds Effects::State::as_rare(const AccessIds& accesses) {
  AccessIds result;
  for (uint32_t id : accesses)
    result.set(variant(id, true, 0));
  return result;
}

// What a call of a group's member does, callees included: within that call, whatever code does it. The groups say
// which functions calls through pointers run there.
const AccessIds& Effects::State::within_group(const Function& function) {
  auto known = in_groups.find(&function);
  if (known != in_groups.end()) return known->second;
  AccessIds result;
  std::vector<std::pair<const Function*, GroupSet>> work{{&function, groups_of(function)}};
  std::set<std::pair<const Function*, GroupSet>> seen(work.begin(), work.end());
  while (!work.empty()) {
    auto [member, within] = work.back();
    work.pop_back();
    for (const Instruction& instruction : instructions(*member)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || !groups->knows_callees(*call, within)) // else it runs nothing outside of the program
        for (const Access& access : of(instruction))
          result.set(variant(access.id, false, within));
      if (!call) continue;
      for (const Function* callee : groups->callees(*call, within, points_to))
        if (auto next = std::pair(callee, within | groups_of(*callee)); seen.insert(next).second)
          work.push_back(next);
    }
  }
  return in_groups[&function] = std::move(result);
}

// Members are numbers of functions; those from functions.size() on stand for the same functions, as rare code calls them.
void Effects::State::settle_component(ArrayRef<uint32_t> members,
                                      const std::vector<const Function*>& functions) {
  const uint32_t self = components.size();
  components.emplace_back();
  Component& made = components.back();
  made.reach.set(self);
  made.rare = members.front() >= functions.size();
  for (uint32_t member : members) {
    made.members.push_back(functions[member % functions.size()]);
    component_of[made.rare][made.members.back()] = self;
  }
  // In ascending order: setting a bit elsewhere than at the end walks the set, and a component may be most of a program.
  std::vector<uint32_t> ids_of_members;
  for (const Function* function : made.members)
    for (auto [id, at] : local[function])
      ids_of_members.push_back(id);
  llvm::sort(ids_of_members);
  AccessIds own;
  for (uint32_t id : ids_of_members)
    own.set(id);
  made.accesses = made.rare ? as_rare(own) : own;
  DenseSet<uint32_t> added[2]; // callees, as called from common and from rare code
  for (const Function* function : made.members)
    for (const Instruction& instruction : instructions(*function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call) continue;
      const bool rarely = made.rare || is_rare(instruction);
      for (const Function* callee : points_to.callees(*call)) {
        const uint32_t other = component_of[rarely][callee];
        if (other == self) continue;
        made.reach |= components[other].reach;
        const bool in_group = groups_of(*callee) != 0;
        if (!in_group && !added[rarely].insert(other).second) continue;
        if (!in_group)
          made.accesses |= components[other].accesses;
        else if (rarely)
          made.accesses |= as_rare(within_group(*callee));
        else
          made.accesses |= within_group(*callee);
      }
    }
}

// Components come out bottom-up.
void Effects::State::settle() {
  if (!components.empty()) return;
  std::vector<const Function*> functions;
  settle_functions(functions);
  const uint32_t count = uint32_t(functions.size());
  DenseMap<const Function*, uint32_t> numbers;
  for (uint32_t number = 0; number < count; ++number)
    numbers[functions[number]] = number;
  Components graph(
      rare ? 2 * count : count,
      [&](uint32_t number, SmallVectorImpl<uint32_t>& out) {
        for (const Instruction& instruction : instructions(*functions[number % count]))
          if (auto* call = dyn_cast<CallBase>(&instruction)) {
            const bool rarely = number >= count || is_rare(instruction);
            for (const Function* callee : points_to.callees(*call))
              out.push_back(numbers.lookup(callee) + (rarely ? count : 0));
          }
      },
      [&](ArrayRef<uint32_t> members) { settle_component(members, functions); });
  for (uint32_t number = 0; number < count; ++number)
    graph.visit(number);
}

// As common code calls it.
Component& Effects::State::component(const Function& function) {
  settle();
  return components[component_of[false].lookup(&function)];
}

Effects::Effects(const PointsTo& points_to, RareBlocks rare, const CommutingGroups* groups,
                 bool output_declared)
    : points_to_(points_to),
      state_(std::make_unique<State>(points_to, std::move(rare), groups, output_declared)) {}
Effects::~Effects() = default;

bool Effects::update_between(const BasicBlock& from, const BasicBlock& to) const {
  return state_->updates.joined(from, to);
}

ArrayRef<Access> Effects::of(const Instruction& instruction) const {
  return state_->of(instruction);
}

const std::vector<const Function*>& Effects::reach(const Function& function) const {
  static const std::vector<const Function*> none;
  if (function.isDeclaration()) return none;
  Component& component = state_->component(function);
  if (!component.has_functions) {
    component.has_functions = true;
    DenseSet<const Function*> known;
    for (uint32_t other : component.reach)
      for (const Function* member : state_->components[other].members)
        if (known.insert(member).second) component.functions.push_back(member);
  }
  return component.functions;
}

// In `order`, so that the nearest instruction stands for an access.
std::vector<Access> Effects::State::summarise(const AccessIds& accesses, ArrayRef<const Function*> order) {
  std::vector<Access> result;
  BitVector missing(unsigned(interned.size()));
  for (uint32_t id : accesses)
    missing.set(id);
  const DenseSet<const Function*> run(order.begin(), order.end());
  const auto& objects = points_to.objects();
  size_t left = missing.count();
  auto add = [&](uint32_t id, const Instruction* at, auto&& again) -> void {
    if (missing.test(id)) {
      missing.reset(id);
      --left;
      Access access = interned[id];
      bool frame = objects[access.object].kind == ObjectKind::Stack && !kept_frames.test(access.object);
      auto* site = dyn_cast_or_null<Instruction>(objects[access.object].site);
      if (!frame || (site && !run.contains(site->getFunction()))) {
        access.at = at;
        result.push_back(access);
      }
    }
    for (uint32_t variant : variants[id])
      again(variant, at, again);
  };
  for (const Function* member : order) {
    if (left == 0) break;
    for (auto [own, at] : local[member])
      add(own, at, add);
  }
  return result;
}

ArrayRef<Access> Effects::summary(const Function& function) const {
  if (function.isDeclaration()) return {};
  Component& component = state_->component(function);
  std::vector<const Function*> order = component.members; // the component itself first
  if (state_->groups_of(function)) {
    auto [summary, fresh] = state_->group_summaries.try_emplace(&function);
    if (!fresh) return summary->second;
    append_range(order, reach(function));
    return summary->second = state_->summarise(state_->within_group(function), order);
  }
  if (component.has_summary) return component.summary;
  component.has_summary = true;
  append_range(order, reach(function));
  return component.summary = state_->summarise(component.accesses, order);
}

bool may_overlap(const Access& a, const Access& b) {
  return a.object == b.object && may_overlap(a.place, a.size, b.place, b.size);
}

std::string describe(const Access& access, const std::vector<MemoryObject>& objects) {
  std::string text = access.write ? "writes " : "reads ";
  text += describe(objects[access.object], access.place);
  if (access.at) text += " at " + source_of(access.at);
  return text;
}

} // namespace heddle

// Effects of instructions, and their sums over calls.
//
// A summary is the union over everything that a call may run. Functions that call each other in a cycle share
// theirs, so the sums go bottom-up over the components of the call graph, as bit vectors of interned
// accesses; the instruction that stands for an access is looked up when somebody asks. Reads of constants are
// left out, and in summaries the frames of the callees, unless a pointer to one is kept outside the stack.
#include "analysis/effects.h"

#include "analysis/effects_calls.h"
#include "analysis/effects_updates.h"
#include "analysis/solver_components.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <set>
#include <tuple>
#include <unordered_map>

using namespace llvm;

namespace heddle {

namespace {

struct SameEffect { // equal but for the instruction
  size_t operator()(const Access& a) const {
    return hash_combine(a.object, a.place.offset, a.place.stride, a.place.low, a.place.high, a.size, a.write,
                        a.atomic, unsigned(a.update), a.implied, a.rare, a.deferrable, a.groups);
  }
  bool operator()(const Access& a, const Access& b) const {
    return a.object == b.object && a.place == b.place && a.size == b.size && a.write == b.write &&
           a.atomic == b.atomic && a.update == b.update && a.implied == b.implied && a.rare == b.rare &&
           a.deferrable == b.deferrable && a.groups == b.groups;
  }
};

using AccessIds = SparseBitVector<>;

struct Component { // functions that call each other
  std::vector<const Function*> members;
  std::vector<uint32_t> callees; // components, before this one
  AccessIds accesses;
  SparseBitVector<> reach; // components, itself included
  std::vector<Access> summary;
  std::vector<const Function*> functions;
  bool has_summary = false, has_functions = false;
};

} // namespace

struct Effects::State {
  State(const Effects& effects, RareBlocks rare)
      : effects(effects), points_to(effects.points_to()), rare(std::move(rare)),
        updates(points_to.module(), this->rare) {}

  const Effects& effects;
  const PointsTo& points_to;
  RareBlocks rare;
  Updates updates;
  DenseMap<const Instruction*, std::vector<Access>> cache;
  std::unordered_map<Access, uint32_t, SameEffect, SameEffect> ids;
  std::vector<Access> interned;
  DenseMap<const Function*, std::vector<std::pair<uint32_t, const Instruction*>>> local;
  DenseMap<const Function*, uint32_t> component_of;
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
  AccessIds within(const AccessIds& accesses, bool rare, GroupSet groups);
  // An access -> the same in rare code, in a call of a group. May take two steps.
  DenseMap<uint32_t, SmallVector<uint32_t, 2>> variants;
  SmallVector<uint32_t, 4> variants_of(uint32_t id) const;
};

std::vector<Access> Effects::State::compute(const Instruction& instruction) {
  AccessList list(points_to, instruction);
  if (auto* call = dyn_cast<CallBase>(&instruction)) {
    add_call_accesses(*call, list);
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
  if (is_rare(instruction))
    for (Access& access : accesses)
      access.rare = true;
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
    component_of[&function] = functions.size();
    functions.push_back(&function);
    auto& own = local[&function];
    DenseSet<uint32_t> known;
    for (const Instruction& instruction : instructions(function))
      for (const Access& access : of(instruction)) {
        uint32_t id = intern(access);
        if (known.insert(id).second) own.push_back({id, &instruction});
      }
  }
}

uint32_t Effects::State::intern(const Access& access) {
  auto [entry, fresh] = ids.try_emplace(access, interned.size());
  if (fresh) interned.push_back(access);
  return entry->second;
}

// What rare code calls is done on a rare path, and what a call of a group calls within that call, whatever code does it.
Access Effects::within(Access access, bool rare, GroupSet groups) const {
  access.rare |= rare;
  if (points_to_.objects()[access.object].kind != ObjectKind::System)
    access.groups |= groups;
  else if (groups)
    access.deferrable = false; // channels.cpp
  return access;
}

AccessIds Effects::State::within(const AccessIds& accesses, bool rare, GroupSet groups) {
  if (!rare && !groups) return accesses;
  AccessIds result;
  for (uint32_t id : accesses) {
    uint32_t variant = intern(effects.within(interned[id], rare, groups));
    result.set(variant);
    if (variant != id && !is_contained(variants[id], variant)) variants[id].push_back(variant);
  }
  return result;
}

// Itself included.
SmallVector<uint32_t, 4> Effects::State::variants_of(uint32_t id) const {
  SmallVector<uint32_t, 4> result{id};
  for (size_t i = 0; i != result.size(); ++i)
    if (auto found = variants.find(result[i]); found != variants.end())
      for (uint32_t variant : found->second)
        if (!is_contained(result, variant)) result.push_back(variant);
  return result;
}

void Effects::State::settle_component(ArrayRef<uint32_t> members,
                                      const std::vector<const Function*>& functions) {
  uint32_t self = components.size();
  components.emplace_back();
  Component& made = components.back();
  made.reach.set(self);
  std::set<std::tuple<uint32_t, bool, GroupSet>> added; // callees, from where, as calls of which groups
  for (uint32_t member : members) {
    made.members.push_back(functions[member]);
    component_of[functions[member]] = self;
  }
  for (const Function* function : made.members)
    for (auto [id, at] : local[function])
      made.accesses.set(id);
  for (const Function* function : made.members)
    for (const Instruction& instruction : instructions(*function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call) continue;
      bool rarely = is_rare(instruction);
      for (const Function* callee : points_to.callees(*call)) {
        uint32_t other = component_of[callee];
        const GroupSet groups = effects.groups_of(*callee);
        if (other == self || !added.emplace(other, rarely, groups).second) continue;
        made.accesses |= within(components[other].accesses, rarely, groups);
        made.reach |= components[other].reach;
      }
    }
}

// Component numbers replace function numbers in component_of while the components come out bottom-up.
void Effects::State::settle() {
  if (!components.empty()) return;
  std::vector<const Function*> functions;
  settle_functions(functions);
  DenseMap<const Function*, uint32_t> numbers = component_of;
  Components graph(
      functions.size(),
      [&](uint32_t number, SmallVectorImpl<uint32_t>& out) {
        for (const Instruction& instruction : instructions(*functions[number]))
          if (auto* call = dyn_cast<CallBase>(&instruction))
            for (const Function* callee : points_to.callees(*call))
              out.push_back(numbers.lookup(callee));
      },
      [&](ArrayRef<uint32_t> members) { settle_component(members, functions); });
  for (uint32_t number = 0; number < functions.size(); ++number)
    graph.visit(number);
}

Component& Effects::State::component(const Function& function) {
  settle();
  return components[component_of.lookup(&function)];
}

Effects::Effects(const PointsTo& points_to, RareBlocks rare, const CommutingGroups* groups)
    : points_to_(points_to), groups_(groups), state_(std::make_unique<State>(*this, std::move(rare))) {}
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
    for (uint32_t other : component.reach)
      append_range(component.functions, state_->components[other].members);
  }
  return component.functions;
}

ArrayRef<Access> Effects::summary(const Function& function) const {
  if (function.isDeclaration()) return {};
  Component& component = state_->component(function);
  if (component.has_summary) return component.summary;
  component.has_summary = true;
  AccessIds missing = component.accesses;
  // The component itself first, so that the nearest instruction stands for an access.
  std::vector<const Function*> order = component.members;
  append_range(order, reach(function));
  const auto& objects = points_to_.objects();
  for (const Function* member : order)
    for (auto [own, at] : state_->local[member]) {
      for (uint32_t id : state_->variants_of(own)) {
        if (!missing.test(id)) continue;
        missing.reset(id);
        Access access = state_->interned[id];
        bool frame =
            objects[access.object].kind == ObjectKind::Stack && !state_->kept_frames.test(access.object);
        auto* site = dyn_cast_or_null<Instruction>(objects[access.object].site);
        if (frame && (!site || is_contained(order, site->getFunction()))) continue;
        access.at = at;
        component.summary.push_back(access);
      }
    }
  return component.summary;
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

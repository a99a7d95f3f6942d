#include "analysis/points_to.h"

#include "analysis/constraints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <chrono>

using namespace llvm;

namespace heddle {

struct PointsTo::State {
  State(const Module& module, const PointsToOptions& options)
      : module(module), own_objects(options.own_objects), solver(module.getDataLayout()),
        builder(module, options, solver, report) {}

  const Module& module;
  bool own_objects;
  PointsToReport report;
  PointsToStatistics statistics;
  Solver solver;
  ConstraintBuilder builder;
  DenseMap<const CallBase*, std::vector<const Function*>> callees, externals;
  std::vector<ObjectSet> contents;
  ObjectSet escaped;

  void settle_calls();
  void settle_contents();
  void count();
};

// Calls of unknown functions may run every function that escaped.
void PointsTo::State::settle_calls() {
  for (const Function& function : module)
    for (const Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call) continue;
      ConstraintBuilder::FunctionSet targets;
      if (auto* known = builder.targets_of(*call)) targets.insert(known->begin(), known->end());
      if (builder.reaches_outside(*call))
        for (const Function* escaped : builder.escaped_functions())
          if (!call->isIndirectCall() || may_call(*call, *escaped)) targets.insert(escaped);
      if (!targets.empty()) callees[call] = {targets.begin(), targets.end()};
      if (auto* known = builder.externals_of(*call)) externals[call] = {known->begin(), known->end()};
    }
}

void PointsTo::State::settle_contents() {
  contents.resize(solver.objects().size());
  for (ObjectId object = 0; object < contents.size(); ++object)
    solver.collect_contents(object, contents[object]);
  for (uint32_t location : solver.points_to(builder.outside()))
    escaped.set(solver.location(location).object);
  escaped.set(0);
}

void PointsTo::State::count() {
  statistics.nodes = solver.node_count();
  statistics.constraints = solver.constraint_count();
  statistics.objects = solver.objects().size();
  statistics.locations = solver.location_count();
  statistics.copy_edges = solver.copy_count();
  statistics.rounds = solver.rounds();
  statistics.widened = solver.widened();
}

static void count_precision(const PointsTo& result, PointsToStatistics& statistics) {
  size_t accesses = 0, pointees = 0;
  for (const Function& function : result.module())
    for (const Instruction& instruction : instructions(function)) {
      ++statistics.instructions;
      if (const Value* pointer = getLoadStorePointerOperand(&instruction)) {
        ++accesses;
        pointees += result.objects_pointed_to(pointer).count();
      }
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || !call->isIndirectCall()) continue;
      size_t targets = result.callees(*call).size() + result.external_callees(*call).size();
      ++statistics.indirect_calls;
      statistics.indirect_targets += targets;
      statistics.most_targets = std::max(statistics.most_targets, targets);
    }
  if (accesses) statistics.average_pointees = double(pointees) / double(accesses);
}

PointsTo::PointsTo(std::unique_ptr<State> state) : state_(std::move(state)) {}
PointsTo::~PointsTo() = default;

std::unique_ptr<PointsTo> PointsTo::run(const Module& module, const PointsToOptions& options) {
  auto start = std::chrono::steady_clock::now();
  auto state = std::make_unique<State>(module, options);
  state->builder.build();
  state->solver.solve();
  state->settle_calls();
  state->settle_contents();
  state->count();
  std::unique_ptr<PointsTo> result(new PointsTo(std::move(state)));
  PointsToStatistics& statistics = result->state_->statistics;
  count_precision(*result, statistics);
  statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

const Module& PointsTo::module() const {
  return state_->module;
}
bool PointsTo::own_objects() const {
  return state_->own_objects;
}
const std::vector<MemoryObject>& PointsTo::objects() const {
  return state_->solver.objects();
}
const PointsToReport& PointsTo::report() const {
  return state_->report;
}
const PointsToStatistics& PointsTo::statistics() const {
  return state_->statistics;
}
const ObjectSet& PointsTo::contents(ObjectId object) const {
  // Objects that effects made up after the analysis (buffers of library functions) hold no pointers.
  static const ObjectSet none;
  return object < state_->contents.size() ? state_->contents[object] : none;
}
bool PointsTo::escapes(ObjectId object) const {
  return state_->escaped.test(object);
}
const ObjectSet& PointsTo::escaped() const {
  return state_->escaped;
}

ObjectId PointsTo::system_object(SystemLocation location) const {
  return state_->builder.system_object(location);
}

std::vector<ObjectId> PointsTo::objects_of(const Value* value) const {
  return state_->builder.objects_of(value).vec();
}

std::vector<Pointee> PointsTo::points_to(const Value* value) const {
  std::vector<Pointee> result;
  if (!state_->builder.has_node(value)) return result;
  for (uint32_t location : state_->solver.points_to(state_->builder.value(value))) {
    const Location& at = state_->solver.location(location);
    result.push_back({at.object, at.place});
  }
  return result;
}

ObjectSet PointsTo::objects_pointed_to(const Value* value) const {
  ObjectSet result;
  if (!state_->builder.has_node(value)) return result;
  for (uint32_t location : state_->solver.points_to(state_->builder.value(value)))
    result.set(state_->solver.location(location).object);
  return result;
}

bool PointsTo::may_alias(const Value* a, uint64_t size_a, const Value* b, uint64_t size_b) const {
  std::vector<Pointee> others = points_to(b);
  auto unknown = [&](const Pointee& p, const Pointee& q) {
    return p.object == unknown_object() && (q.object == unknown_object() || escapes(q.object));
  };
  for (const Pointee& one : points_to(a))
    for (const Pointee& other : others)
      if (unknown(one, other) || unknown(other, one))
        return true;
      else if (one.object == other.object && may_overlap(one.place, size_a, other.place, size_b))
        return true;
  return false;
}

ArrayRef<const Function*> PointsTo::callees(const CallBase& call) const {
  auto found = state_->callees.find(&call);
  return found == state_->callees.end() ? ArrayRef<const Function*>() : ArrayRef(found->second);
}

ArrayRef<const Function*> PointsTo::external_callees(const CallBase& call) const {
  auto found = state_->externals.find(&call);
  return found == state_->externals.end() ? ArrayRef<const Function*>() : ArrayRef(found->second);
}

bool PointsTo::reaches_outside(const CallBase& call) const {
  return state_->builder.reaches_outside(call);
}

ObjectId PointsTo::static_buffer(const Function& function) const {
  return state_->builder.static_buffer(function);
}

ObjectSet PointsTo::reachable_from(const ObjectSet& roots) const {
  ObjectSet result;
  std::vector<ObjectId> work;
  for (ObjectId root : roots)
    work.push_back(root);
  while (!work.empty()) {
    ObjectId object = work.back();
    work.pop_back();
    auto reach = [&](ObjectId next) {
      if (result.test_and_set(next)) work.push_back(next);
    };
    for (ObjectId next : contents(object)) {
      reach(next);
      if (next == unknown_object()) for_each(escaped(), reach);
    }
  }
  return result;
}

} // namespace heddle

#include "analysis/sharing.h"

#include "analysis/external_models.h"
#include "program/own_objects.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle {

bool made_per_packet(const MemoryObject& object,
                     const llvm::DenseSet<const llvm::Function*>& body_functions) {
  if (object.kind == ObjectKind::Packet) return true;
  if (object.kind != ObjectKind::Stack && object.kind != ObjectKind::Heap) return false;
  if (const auto* instruction = llvm::dyn_cast_or_null<llvm::Instruction>(object.site))
    return body_functions.contains(instruction->getFunction());
  if (const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(object.site))
    return body_functions.contains(argument->getParent());
  if (const auto* function = llvm::dyn_cast_or_null<llvm::Function>(object.site)) // variable arguments
    return object.kind == ObjectKind::Stack && body_functions.contains(function);
  return false;
}

Sharing::Sharing(const llvm::Function& body, const Effects& effects, const ObjectSet& own_arrays)
    : body_(body), effects_(effects) {
  const PointsTo& points_to = effects.points_to();
  const auto& reach = effects.reach(body);
  llvm::DenseSet<const llvm::Function*> body_functions(reach.begin(), reach.end());

  std::vector<ObjectId> work;
  auto share = [&](ObjectId id) {
    const llvm::Value* site = points_to.objects()[id].site;
    if (points_to.own_objects() && site && is_own_object(*site)) return;
    if (shared_.test_and_set(id)) work.push_back(id);
  };
  for (const MemoryObject& object : points_to.objects()) {
    if (object.twin_of)
      share(object.id);
    else if (!made_per_packet(object, body_functions))
      share(object.id);
  }
  for (unsigned id : points_to.escaped())
    share(id);
  for (unsigned array : own_arrays)
    elements_ |= points_to.contents(array);
  while (!work.empty()) {
    ObjectId id = work.back();
    work.pop_back();
    if (own_arrays.test(id)) continue;
    for (unsigned pointee : points_to.contents(id))
      share(pointee);
  }
  for (const MemoryObject& object : points_to.objects())
    if (object.twin_of && is_private(*object.twin_of)) twins_[object.id] = *object.twin_of;
}

bool Sharing::leads_to_shared(const llvm::Value* pointer) const {
  for (unsigned target : effects_.points_to().objects_pointed_to(pointer))
    if (is_shared(target)) return true;
  return false;
}

// A copy of memory publishes the pointers inside.
bool Sharing::copy_publishes(const llvm::Value* to, const llvm::Value* from, ObjectId object) const {
  if (!leads_to_shared(to)) return false;
  for (unsigned source : effects_.points_to().objects_pointed_to(from))
    if (effects_.points_to().contents(source).test(object)) return true;
  return false;
}

bool Sharing::call_publishes(const llvm::CallBase& call, ObjectId object) const {
  const PointsTo& points_to = effects_.points_to();
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&call))
    return copy_publishes(copy->getRawDest(), copy->getRawSource(), object);
  if (llvm::isa<llvm::IntrinsicInst>(call)) return false;
  auto holds = [&](int argument) {
    return argument >= 0 && unsigned(argument) < call.arg_size() &&
           call.getArgOperand(argument)->getType()->isPointerTy() &&
           points_to.objects_pointed_to(call.getArgOperand(argument)).test(object);
  };
  for (const llvm::Function* callee : points_to.external_callees(call)) {
    const ExternalModel* model = model_of(*callee);
    if (!model) return true;
    for (const ModelClause& clause : model->clauses) {
      bool kept = clause.kind == ModelClause::Kind::Keep || clause.kind == ModelClause::Kind::Consume;
      for (int a = clause.argument; kept && a >= 0 && unsigned(a) < call.arg_size(); ++a) {
        if (holds(a)) return true;
        if (!clause.onwards) break;
      }
      // Arrays of packets (transmit bursts) hand over what they hold.
      if (kept && clause.argument >= 0 && unsigned(clause.argument) < call.arg_size())
        for (unsigned array : points_to.objects_pointed_to(call.getArgOperand(clause.argument)))
          if (points_to.contents(array).test(object)) return true;
      if (clause.kind == ModelClause::Kind::StoreTo && holds(clause.source_argument)) return true;
      if (clause.kind == ModelClause::Kind::Copy && unsigned(clause.source_argument) < call.arg_size() &&
          unsigned(clause.argument) < call.arg_size() &&
          copy_publishes(call.getArgOperand(clause.argument), call.getArgOperand(clause.source_argument),
                         object))
        return true;
    }
  }
  return false;
}

bool Sharing::publishes(const llvm::Instruction& instruction, ObjectId object) const {
  const PointsTo& points_to = effects_.points_to();
  auto stores = [&](const llvm::Value* value, const llvm::Value* pointer) {
    return points_to.objects_pointed_to(value).test(object) && leads_to_shared(pointer);
  };
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return stores(store->getValueOperand(), store->getPointerOperand());
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return stores(exchange->getValOperand(), exchange->getPointerOperand());
  if (const auto* compare = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return stores(compare->getNewValOperand(), compare->getPointerOperand());
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return call_publishes(*call, object);
  return false;
}

llvm::DenseSet<const llvm::Instruction*> Sharing::publications(ObjectId object) const {
  llvm::DenseSet<const llvm::Instruction*> result;
  for (const llvm::Function* function : effects_.reach(body_))
    for (const llvm::BasicBlock& block : *function)
      for (const llvm::Instruction& instruction : block)
        if (publishes(instruction, object)) result.insert(&instruction);
  return result;
}

} // namespace heddle

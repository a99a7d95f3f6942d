#include "analysis/rarity.h"

#include "analysis/detours.h"
#include "analysis/external_models.h"
#include "program/modelled.h"
#include "program/own_objects.h"

#include "llvm/IR/CFG.h"

namespace heddle {

bool is_opaque(const llvm::Function& function) {
  if (is_modelled_by_name(source_name(function))) return true;
  return llvm::is_contained(pool_allocators(), source_name(function)) || makes_own_object(function);
}

// What may run in signal handlers that the runtime does not keep gates out of (src/runtime/signals.cpp): those
// installed by other means than sigaction and signal, and those that may leave by longjmp.
llvm::DenseSet<const llvm::Function*> run_by_signals(const PointsTo& points_to) {
  const auto& objects = points_to.objects();
  std::vector<const llvm::Function*> handlers, others;
  auto add = [&](const ObjectSet& pointees, std::vector<const llvm::Function*>& to) {
    for (ObjectId id : pointees)
      if (objects[id].kind == ObjectKind::Function)
        to.push_back(llvm::cast<llvm::Function>(objects[id].site));
  };
  for (llvm::StringRef name :
       {"signal", "sigaction", "bsd_signal", "sysv_signal", "__sysv_signal", "sigset", "timer_create"})
    if (const llvm::Function* installs = points_to.module().getFunction(name))
      for (const llvm::User* user : installs->users())
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->arg_size() > 1) {
          auto& to = name == "signal" || name == "sigaction" ? handlers : others;
          ObjectSet given = points_to.objects_pointed_to(call->getArgOperand(1));
          add(given, to); // the handler, or a structure that holds it
          for (ObjectId id : given)
            add(points_to.contents(id), to);
        }
  llvm::DenseSet<const llvm::Function*> result;
  auto reach = [&](const llvm::Function* from) {
    llvm::DenseSet<const llvm::Function*> reached;
    std::vector<const llvm::Function*> work{from};
    bool jumps = false;
    while (!work.empty()) {
      const llvm::Function* function = work.back();
      work.pop_back();
      if (!reached.insert(function).second) continue;
      jumps |= function->isDeclaration() && function->getName().contains("longjmp");
      for (const llvm::BasicBlock& block : *function)
        for (const llvm::Instruction& instruction : block)
          if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
            llvm::append_range(work, points_to.callees(*call));
            llvm::append_range(work, points_to.external_callees(*call));
          }
    }
    if (jumps || llvm::is_contained(others, from)) result.insert(reached.begin(), reached.end());
  };
  for (const auto* of : {&handlers, &others})
    for (const llvm::Function* handler : *of)
      if (!result.contains(handler)) reach(handler);
  return result;
}

Rarity::Rarity(const Program& program, const BlockTable& blocks, const PointsTo& points_to,
               const CommutingGroups& groups, const std::function<bool(BlockId)>& rare)
    : blocks_(blocks), rare_(blocks.size()) {
  if (!rare) return;
  llvm::DenseSet<const llvm::Function*> in_signals = run_by_signals(points_to);
  for (BlockId id = 0; id != blocks.size(); ++id) {
    const llvm::BasicBlock& block = *blocks.block(id);
    const llvm::Function* function = block.getParent();
    rare_[id] = rare(id) && !block.isEHPad() && !is_modelled_by_name(source_name(*function)) &&
                !in_signals.contains(function) && !groups.reached().contains(function) &&
                !makes_own_object(*function) && !function->hasFnAttribute(llvm::Attribute::Naked);
  }
  for (const PacketBody& body : program.bodies)
    rare_[blocks.id(&body.body->getEntryBlock())] = false;
  for (const llvm::Function& function : *program.module)
    for (const llvm::BasicBlock* block : detours(function, points_to, *this))
      rare_[blocks.id(block)] = false;
}

std::vector<BlockId> Rarity::gates(const std::vector<const llvm::Function*>& functions) const {
  std::vector<BlockId> result;
  for (const llvm::Function* function : functions)
    for (const llvm::BasicBlock& block : *function) {
      if (!(*this)(block)) continue;
      auto common = [&](const llvm::BasicBlock* from) { return !(*this)(*from); };
      if (block.isEntryBlock() || llvm::any_of(llvm::predecessors(&block), common))
        result.push_back(blocks_.id(&block));
    }
  llvm::sort(result);
  return result;
}

} // namespace heddle

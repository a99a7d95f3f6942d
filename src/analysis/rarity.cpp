#include "analysis/rarity.h"

#include "analysis/external_models.h"
#include "program/modelled.h"

#include "llvm/IR/CFG.h"

namespace heddle {

bool is_opaque(const llvm::Function& function) {
  if (is_modelled_by_name(source_name(function))) return true;
  return llvm::is_contained(pool_allocators(), source_name(function));
}

// What may run in a signal handler: a gate there would run other packets in the middle of whatever was interrupted.
static llvm::DenseSet<const llvm::Function*> run_by_signals(const PointsTo& points_to) {
  const auto& objects = points_to.objects();
  llvm::DenseSet<const llvm::Function*> result;
  std::vector<const llvm::Function*> work;
  auto reach = [&](const llvm::Function* function) {
    if (!function->isDeclaration() && result.insert(function).second) work.push_back(function);
  };
  auto reach_all = [&](const ObjectSet& pointees) {
    for (ObjectId id : pointees)
      if (objects[id].kind == ObjectKind::Function) reach(llvm::cast<llvm::Function>(objects[id].site));
  };
  for (const char* name : {"signal", "bsd_signal", "sysv_signal", "sigset", "sigaction", "timer_create"})
    if (const llvm::Function* installs = points_to.module().getFunction(name))
      for (const llvm::User* user : installs->users())
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->arg_size() > 1) {
          ObjectSet given = points_to.objects_pointed_to(call->getArgOperand(1));
          reach_all(given); // the handler, or a structure that holds it
          for (ObjectId id : given)
            reach_all(points_to.contents(id));
        }
  while (!work.empty()) {
    const llvm::Function* function = work.back();
    work.pop_back();
    for (const llvm::BasicBlock& block : *function)
      for (const llvm::Instruction& instruction : block)
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          for (const llvm::Function* callee : points_to.callees(*call))
            reach(callee);
  }
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
    rare_[id] = rare(id) && !block.isEHPad() && !is_opaque(*function) && !in_signals.contains(function) &&
                !groups.reached().contains(function) && !function->hasFnAttribute(llvm::Attribute::Naked);
  }
  for (const PacketBody& body : program.bodies)
    rare_[blocks.id(&body.body->getEntryBlock())] = false;
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

#include "analysis/loop_control.h"
#include "program/deferrable.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace heddle {

namespace {

// Blocks of the body's own function from which a return of another code than 0 may follow, other than
// straight (BodyGraph::leaving): where a value that may not be 0 is known, and all that comes after.
void deciding_blocks(const llvm::Value* value, const llvm::BasicBlock* from,
                     llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks,
                     llvm::SmallPtrSetImpl<const llvm::PHINode*>& seen) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (constant && constant->isZero()) return;
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (!phi) {
    blocks.insert(from);
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value))
      blocks.insert(instruction->getParent());
    return;
  }
  if (!seen.insert(phi).second) return;
  for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i)
    deciding_blocks(phi->getIncomingValue(i), phi->getIncomingBlock(i), blocks, seen);
}

// Every node that can be reached from those of `blocks`, themselves included.
std::vector<uint32_t> nodes_after(const BodyGraph& graph,
                                  const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks) {
  std::vector<std::vector<uint32_t>> next(graph.nodes.size());
  for (const BodyEdge& edge : graph.edges)
    next[edge.from].push_back(edge.to);
  std::vector<bool> seen(graph.nodes.size());
  std::vector<uint32_t> result;
  for (uint32_t n = 0; n != graph.nodes.size(); ++n)
    if (graph.nodes[n].context == 0 && blocks.contains(graph.nodes[n].block)) {
      seen[n] = true;
      result.push_back(n);
    }
  for (size_t i = 0; i != result.size(); ++i)
    for (uint32_t to : next[result[i]])
      if (!seen[to]) {
        seen[to] = true;
        result.push_back(to);
      }
  return result;
}

// The C library's functions for output unwind only where a thread is cancelled.
bool may_unwind(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::ResumeInst>(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (!call || call->doesNotThrow()) return false;
  return !deferrable_function(*call) || instruction.getModule()->getFunction("pthread_cancel");
}

// A jump needs a frame to go to that is older than the loop: of a function of the program's that has made one known (setjmp), or
// of a library's that called the function with the loop, or one that calls that.
bool may_be_jumped_out_of(const PacketBody& body, const PointsTo& points_to) {
  const llvm::Module& module = points_to.module();
  if (!body.run) return true;
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::Function*>> callers;
  for (const llvm::Function& function : module) {
    if (function.callsFunctionThatReturnsTwice()) return true;
    for (const llvm::BasicBlock& block : function)
      for (const llvm::Instruction& instruction : block)
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          for (const llvm::Function* callee : points_to.callees(*call))
            callers[callee].push_back(&function);
  }
  llvm::DenseSet<const llvm::Function*> outside_knows;
  for (const MemoryObject& object : points_to.objects())
    if (object.kind == ObjectKind::Function && points_to.escapes(object.id))
      outside_knows.insert(llvm::cast<llvm::Function>(object.site));
  llvm::SmallPtrSet<const llvm::Function*, 16> seen;
  std::vector<const llvm::Function*> work{body.run->getFunction()};
  while (!work.empty()) {
    const llvm::Function* function = work.back();
    work.pop_back();
    if (!seen.insert(function).second) continue;
    const bool known = !function->hasLocalLinkage() && function->getName() != "main";
    if (known || outside_knows.contains(function)) return true;
    llvm::append_range(work, callers[function]);
  }
  return false;
}

// Does the program read nothing after the loop that iterations leave in the environment?
bool hands_on_nothing(const PacketBody& body) {
  if (body.is_callback() || !body.run) return false;
  llvm::SmallVector<const llvm::Value*, 16> work{body.run->getArgOperand(1)};
  while (!work.empty())
    for (const llvm::User* user : work.pop_back_val()->users()) {
      if (llvm::isa<llvm::LoadInst>(user)) return false;
      if (llvm::isa<llvm::GetElementPtrInst>(user)) work.push_back(user);
    }
  return true;
}

} // namespace

std::vector<LoopExit> loop_exits(const BodyGraph& graph, const PacketBody& body, const AccessTable& table,
                                 const PointsTo& points_to) {
  std::vector<LoopExit> result;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> deciding;
  llvm::SmallPtrSet<const llvm::PHINode*, 16> seen;
  const bool can_be_late = hands_on_nothing(body);
  auto late = [&](const std::string& place) { return can_be_late ? late_exit.str() + place : ""; };
  for (uint32_t n : graph.leaving) {
    const llvm::Instruction* at = graph.nodes[n].block->getTerminator();
    result.push_back(
        {n, at, "leaves the packet loop", graph.nodes[n].rare, false, late(location_of(*at).str())});
  }
  for (const llvm::BasicBlock& block : *body.body) {
    const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!ret) continue;
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(ret->getReturnValue());
    bool plain = block.getFirstNonPHIOrDbgOrLifetime() == ret; // then the straight ways are in graph.leaving
    if (!phi || phi->getParent() != &block) {
      const auto* code = llvm::dyn_cast<llvm::ConstantInt>(ret->getReturnValue());
      if (!plain || !code) deciding_blocks(ret->getReturnValue(), &block, deciding, seen);
      continue;
    }
    for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i)
      if (!plain || !llvm::isa<llvm::ConstantInt>(phi->getIncomingValue(i)))
        deciding_blocks(phi->getIncomingValue(i), phi->getIncomingBlock(i), deciding, seen);
  }
  for (uint32_t n : nodes_after(graph, deciding))
    result.push_back({n, graph.nodes[n].block->getTerminator(), "may leave the packet loop at its end",
                      graph.nodes[n].rare, false, late("its end")});

  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    const BodyNode& node = graph.nodes[n];
    const llvm::Function* function = node.block->getParent();
    if (function->doesNotThrow()) continue;
    llvm::SmallPtrSet<const llvm::CallBase*, 4> closed(node.closed_calls.begin(), node.closed_calls.end());
    for (const llvm::Instruction& instruction : *node.block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      bool here = !call || closed.contains(call) || llvm::isa<llvm::IntrinsicInst>(call);
      if (here && may_unwind(instruction))
        result.push_back({n, &instruction, "may throw an exception out of the body", node.rare});
    }
  }
  auto add_system = [&](SystemLocation location, auto counts, const char* how) {
    for (uint32_t key : table.keys_of(points_to.system_object(location)))
      if (counts(table.keys()[key]))
        for (const AccessTable::Carrier& carrier : table.carriers(key))
          result.push_back(
              {carrier.node, carrier.at, how, table.keys()[key].rare, location == SystemLocation::Jump});
  };
  auto ends = [](const AccessKey& key) { return !key.rare; };
  auto writes = [](const AccessKey& key) { return key.write; };
  add_system(SystemLocation::ProcessExit, ends, "may end the program");
  if (may_be_jumped_out_of(body, points_to))
    add_system(SystemLocation::Jump, [](const AccessKey&) { return true; }, "may jump out of the loop");
  if (body.is_callback())
    add_system(SystemLocation::ReceivePort, writes, "changes the receive interface (pcap_breakloop)");
  return result;
}

} // namespace heddle

#include "analysis/loop_control.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle {

namespace {

// The blocks of the body's own function that decide for another return value than 0.
void deciding_blocks(const llvm::Value* value, const llvm::BasicBlock* from,
                     llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks,
                     llvm::SmallPtrSetImpl<const llvm::PHINode*>& seen) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    if (!constant->isZero()) blocks.insert(from);
    return;
  }
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (!phi) {
    blocks.insert(from);
    // Decided where the value is computed at the latest; everything from there on must be certain.
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value))
      blocks.insert(instruction->getParent());
    return;
  }
  if (!seen.insert(phi).second) return;
  for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i)
    deciding_blocks(phi->getIncomingValue(i), phi->getIncomingBlock(i), blocks, seen);
}

bool may_unwind(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::ResumeInst>(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && !call->doesNotThrow();
}

} // namespace

std::vector<LoopExit> loop_exits(const BodyGraph& graph, const PacketBody& body, const AccessTable& table,
                                 const PointsTo& points_to) {
  std::vector<LoopExit> result;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> deciding;
  llvm::SmallPtrSet<const llvm::PHINode*, 16> seen;
  for (const llvm::BasicBlock& block : *body.body)
    if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
      deciding_blocks(ret->getReturnValue(), &block, deciding, seen);

  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    const BodyNode& node = graph.nodes[n];
    if (node.context == 0 && deciding.contains(node.block))
      result.push_back({n, node.block->getTerminator(), "leaves the packet loop"});
    const llvm::Function* function = node.block->getParent();
    if (function->doesNotThrow()) continue;
    llvm::SmallPtrSet<const llvm::CallBase*, 4> closed(node.closed_calls.begin(), node.closed_calls.end());
    for (const llvm::Instruction& instruction : *node.block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      bool here = !call || closed.contains(call) || llvm::isa<llvm::IntrinsicInst>(call);
      if (here && may_unwind(instruction))
        result.push_back({n, &instruction, "may throw an exception out of the body"});
    }
  }
  auto add_system = [&](SystemLocation location, bool writes_only, const char* how) {
    for (uint32_t key : table.keys_of(points_to.system_object(location)))
      if (!writes_only || table.keys()[key].write)
        for (const AccessTable::Carrier& carrier : table.carriers(key))
          result.push_back({carrier.node, carrier.at, how});
  };
  add_system(SystemLocation::ProcessExit, false, "may end the program");
  if (body.is_callback())
    add_system(SystemLocation::ReceivePort, true, "changes the receive interface (pcap_breakloop)");
  return result;
}

} // namespace heddle

#include "analysis/body_graph.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <deque>

namespace heddle {

namespace {

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::Function;

class Builder {
public:
  explicit Builder(const OpenOptions& options) : options_(options) {}

  BodyGraph run(const Function& body) {
    graph_.contexts.push_back({&body, 0, nullptr});
    work_.push_back(0);
    while (!work_.empty()) {
      uint32_t context = work_.front();
      work_.pop_front();
      add_blocks(context);
    }
    graph_.entry = node(0, &body.getEntryBlock());
    connect();
    return std::move(graph_);
  }

private:
  uint32_t node(uint32_t context, const BasicBlock* block) const {
    return first_node_[context] + index_in(*block->getParent()).lookup(block);
  }

  using BlockIndex = llvm::DenseMap<const BasicBlock*, uint32_t>;
  const BlockIndex& index_in(const Function& function) const {
    BlockIndex& index = block_index_[&function];
    if (index.empty())
      for (const BasicBlock& block : function)
        index.insert({&block, uint32_t(index.size())});
    return index;
  }

  bool in_cycle(const BasicBlock* block) {
    const Function* function = block->getParent();
    auto [it, fresh] = cyclic_.try_emplace(function);
    if (fresh)
      for (auto scc = llvm::scc_begin(function); !scc.isAtEnd(); ++scc)
        if (scc.hasCycle()) it->second.insert(scc->begin(), scc->end());
    return it->second.contains(block);
  }

  bool calls_setjmp(const Function& function) {
    auto [it, fresh] = setjmp_.try_emplace(&function, false);
    if (fresh) it->second = function.callsFunctionThatReturnsTwice();
    return it->second;
  }

  bool recursive(uint32_t context, const Function* callee) const {
    for (uint32_t c = context;; c = graph_.contexts[c].parent) {
      if (graph_.contexts[c].function == callee) return true;
      if (c == 0) return false;
    }
  }

  bool can_open(uint32_t context, const CallBase& call) {
    const Function* callee = call.getCalledFunction();
    if (!callee || callee->isDeclaration() || llvm::isa<llvm::InvokeInst>(call)) return false;
    if (call.getFunctionType() != callee->getFunctionType() || callee->isInterposable()) return false;
    if (options_.opaque && options_.opaque(*callee)) return false;
    if (call.isMustTailCall() || calls_setjmp(*callee)) return false;
    const auto* jump = llvm::dyn_cast<llvm::BranchInst>(call.getParent()->getTerminator());
    if (!jump || jump->isConditional() || call.getNextNonDebugInstruction() != jump) return false;
    if (recursive(context, callee) || in_cycle(call.getParent())) return false;
    if (options_.hot && !options_.hot(call.getParent())) return false;
    if (options_.rare && options_.rare(*call.getParent())) return false;
    if (graph_.nodes.size() + callee->size() > options_.max_nodes) {
      graph_.truncated = true;
      return false;
    }
    return true;
  }

  void add_blocks(uint32_t context) {
    const Function& function = *graph_.contexts[context].function;
    first_node_.resize(graph_.contexts.size());
    first_node_[context] = uint32_t(graph_.nodes.size());
    for (const BasicBlock& block : function) {
      BodyNode& added = graph_.nodes.emplace_back(BodyNode{context, &block, {}});
      const CallBase* opened = nullptr;
      std::vector<const CallBase*> closed;
      for (const llvm::Instruction& instruction : block) {
        const auto* call = llvm::dyn_cast<CallBase>(&instruction);
        if (!call || llvm::isa<llvm::IntrinsicInst>(call)) continue;
        if (can_open(context, *call))
          opened = call;
        else
          closed.push_back(call);
      }
      added.closed_calls = std::move(closed);
      added.rare = options_.rare && options_.rare(block);
      if (!opened) continue;
      opened_[uint32_t(graph_.nodes.size() - 1)] = uint32_t(graph_.contexts.size());
      work_.push_back(uint32_t(graph_.contexts.size()));
      graph_.contexts.push_back({opened->getCalledFunction(), context, opened});
    }
  }

  void connect() {
    for (uint32_t n = 0; n != graph_.nodes.size(); ++n) {
      uint32_t context = graph_.nodes[n].context;
      const BasicBlock* block = graph_.nodes[n].block;
      auto opened = opened_.find(n);
      if (opened != opened_.end()) {
        const BasicBlock* entry = &graph_.contexts[opened->second].function->getEntryBlock();
        graph_.edges.push_back({n, node(opened->second, entry), false});
        continue;
      }
      for (const BasicBlock* next : llvm::successors(block)) {
        if (context == 0 && leaves_loop(*block, *next)) {
          graph_.leaving.push_back(n);
          graph_.exits.push_back(n);
          continue;
        }
        graph_.edges.push_back(
            {n, node(context, next), can_stand_between(*block, *next), context, block, next});
      }
      if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) leave(n, context);
    }
  }

  // Does control go from `block` straight to a return of a constant other than 0, but for ends of lifetimes?
  static bool leaves_loop(const BasicBlock& block, const BasicBlock& next) {
    const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(next.getTerminator());
    if (!ret || !ret->getReturnValue() || next.getFirstNonPHIOrDbgOrLifetime() != ret) return false;
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(ret->getReturnValue());
    const llvm::Value* value =
        phi && phi->getParent() == &next ? phi->getIncomingValueForBlock(&block) : ret->getReturnValue();
    const auto* code = llvm::dyn_cast<llvm::ConstantInt>(value);
    return code && !code->isZero();
  }

  // A site; an edge out of these terminators cannot be split.
  bool can_stand_between(const BasicBlock& block, const BasicBlock& next) const {
    if (next.isEHPad() || llvm::isa<llvm::IndirectBrInst, llvm::CallBrInst>(block.getTerminator()))
      return false;
    return !options_.joined || !options_.joined(block, next);
  }

  void leave(uint32_t n, uint32_t context) {
    if (context == 0) {
      graph_.exits.push_back(n);
      return;
    }
    const BodyContext& callee = graph_.contexts[context];
    const BasicBlock* from = callee.call->getParent();
    const BasicBlock* to = from->getSingleSuccessor();
    graph_.edges.push_back({n, node(callee.parent, to), true, callee.parent, from, to});
  }

  const OpenOptions& options_;
  BodyGraph graph_;
  std::deque<uint32_t> work_;
  std::vector<uint32_t> first_node_;
  llvm::DenseMap<uint32_t, uint32_t> opened_; // node whose call is opened -> context
  llvm::DenseMap<const Function*, llvm::DenseSet<const BasicBlock*>> cyclic_;
  llvm::DenseMap<const Function*, bool> setjmp_;
  mutable llvm::DenseMap<const Function*, BlockIndex> block_index_;
};

} // namespace

BodyGraph build_body_graph(const Function& body, const OpenOptions& options) {
  return Builder(options).run(body);
}

} // namespace heddle

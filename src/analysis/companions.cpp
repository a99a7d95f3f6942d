// An address may be made of what a caller passes and be needed in a callee, so it is followed in one function: a copy of the body's into which
// the functions with expensive loads are inlined, as they will be in the optimized program (transform/frames.h). Their loads and marks carry
// the number of their node.
#include "analysis/companions.h"

#include "program/address_slice.h"
#include "program/expensive.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <memory>
#include <optional>

using namespace llvm;

namespace heddle {

namespace {

constexpr StringLiteral number_of_node = "heddle.node";

bool has_load(const BodyNode& node) {
  return !node.rare && expensive_load_of(*node.block);
}

class JoinedBody {
public:
  JoinedBody(const BodyGraph& graph, const CutGraph& described)
      : graph_(graph), copied_(graph.contexts.size()), maps_(graph.contexts.size()) {
    std::vector<bool> wanted(graph.contexts.size());
    wanted[0] = true;
    for (const BodyNode& node : graph.nodes)
      if (has_load(node) && described.contexts[node.context].joins)
        for (uint32_t c = node.context; !wanted[c]; c = graph.contexts[c].parent)
          wanted[c] = true;
    for (uint32_t c = 0; c != wanted.size(); ++c)
      if (wanted[c]) copy(c);
    for (uint32_t n = 0; n != graph.nodes.size(); ++n)
      if (wanted[graph.nodes[n].context]) number(n);
    for (uint32_t c = uint32_t(wanted.size()); c-- > 1;)
      if (wanted[c]) join(c);
  }
  ~JoinedBody() { copied_[0]->eraseFromParent(); }
  JoinedBody(const JoinedBody&) = delete;
  JoinedBody& operator=(const JoinedBody&) = delete;

  const Function& function() const { return *copied_[0]; }

  static std::optional<uint32_t> node_of(const Instruction& instruction) {
    const MDNode* number = instruction.getMetadata(number_of_node);
    if (!number) return std::nullopt;
    return uint32_t(mdconst::extract<ConstantInt>(number->getOperand(0))->getZExtValue());
  }

private:
  CallBase& call_of(uint32_t context) const {
    const BodyContext& of = graph_.contexts[context];
    return *cast<CallBase>(maps_[of.parent]->lookup(of.call));
  }

  void copy(uint32_t context) {
    maps_[context] = std::make_unique<ValueToValueMapTy>();
    copied_[context] =
        CloneFunction(const_cast<Function*>(graph_.contexts[context].function), *maps_[context]);
    if (context != 0) call_of(context).setCalledFunction(copied_[context]);
  }

  void number(uint32_t node) {
    LLVMContext& context = copied_[0]->getContext();
    MDNode* number =
        MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), node)));
    for (const Instruction& instruction : *graph_.nodes[node].block)
      if (isa<LoadInst>(instruction) || marks_expensive(instruction))
        cast<Instruction>(maps_[graph_.nodes[node].context]->lookup(&instruction))
            ->setMetadata(number_of_node, number);
  }

  void join(uint32_t context) {
    InlineFunctionInfo info;
    CallBase& call = call_of(context);
    if (!InlineFunction(call, info).isSuccess()) // its loads go with nobody's
      call.setCalledFunction(const_cast<Function*>(graph_.contexts[context].function));
    copied_[context]->eraseFromParent();
  }

  const BodyGraph& graph_;
  std::vector<Function*> copied_;
  std::vector<std::unique_ptr<ValueToValueMapTy>> maps_;
};

CutCompanion companion_of(uint32_t at, uint32_t load, const AddressSlice& slice) {
  CutCompanion companion;
  companion.at = at;
  companion.load = load;
  companion.obstacle = slice.obstacle;
  if (!slice.obstacle.empty()) return companion;
  companion.instructions = uint32_t(slice.made.size());
  for (const Instruction* made : slice.made) {
    if (!isa<LoadInst>(made)) continue;
    if (const auto node = JoinedBody::node_of(*made))
      companion.reads.push_back(*node);
    else
      companion.obstacle = "its address is made in code that is none of the body's";
  }
  return companion;
}

} // namespace

std::vector<CutCompanion> find_companions(const BodyGraph& graph, const CutGraph& described) {
  std::vector<CutCompanion> found;
  if (count_if(graph.nodes, has_load) < 2) return found;
  const JoinedBody body(graph, described);
  const AddressSlicer slicer(body.function());
  for (const CallBase* at : slicer.marks())
    for (const CallBase* load : slicer.marks()) {
      const auto first = JoinedBody::node_of(*at), second = JoinedBody::node_of(*load);
      if (first && second && slicer.comes_before(*at, *load))
        found.push_back(companion_of(*first, *second, slicer.slice(*load, *at)));
    }
  return found;
}

} // namespace heddle

#include "analysis/induction.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle {

namespace {

using namespace llvm::PatternMatch;

// Through what keeps the value of a small non-negative number.
const llvm::Value* strip_extension(const llvm::Value* value) {
  while (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::FreezeInst>(value))
    value = llvm::cast<llvm::Instruction>(value)->getOperand(0);
  return value;
}

} // namespace

std::optional<int64_t> Induction::slot_of(const llvm::Value* pointer) const {
  const llvm::DataLayout& layout = body_.getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  if (pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) !=
      body_.getArg(0))
    return std::nullopt;
  return offset.getSExtValue();
}

Induction::Induction(const llvm::Function& body) : body_(body) {
  // Everything derived from the frame's address must be a constant slot that is loaded from or stored to.
  std::vector<const llvm::Value*> work{body.getArg(0)};
  std::vector<const llvm::StoreInst*> stores;
  while (!work.empty()) {
    const llvm::Value* pointer = work.back();
    work.pop_back();
    for (const llvm::User* user : pointer->users()) {
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == pointer) {
          frame_escapes_ = true;
          continue;
        }
        stores.push_back(store);
        ++stores_[*slot_of(pointer)];
      } else if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(user); gep && slot_of(gep)) {
        work.push_back(gep);
      } else if (!llvm::isa<llvm::LoadInst>(user)) {
        frame_escapes_ = true;
      }
    }
  }
  if (frame_escapes_) return;
  for (const llvm::StoreInst* store : stores) {
    llvm::Value* old = nullptr;
    llvm::ConstantInt* step = nullptr;
    if (!match(store->getValueOperand(), m_Add(m_Value(old), m_ConstantInt(step))) || step->isZero())
      continue;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(strip_extension(old));
    int64_t slot = *slot_of(store->getPointerOperand());
    if (!load || load->getType() != store->getValueOperand()->getType() ||
        slot_of(load->getPointerOperand()) != slot || stores_.lookup(slot) != 1)
      continue;
    if (load->getParent() != &body.getEntryBlock() || store->getParent() != &body.getEntryBlock()) continue;
    indices_.insert(load);
  }
}

bool Induction::is_invariant(const llvm::Value* value) const {
  value = strip_extension(value);
  if (llvm::isa<llvm::Constant>(value)) return true;
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(value))
    return gep->hasAllConstantIndices() && is_invariant(gep->getPointerOperand());
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (!load || frame_escapes_) return false;
  std::optional<int64_t> slot = slot_of(load->getPointerOperand());
  return slot && !stores_.contains(*slot);
}

std::optional<Induction::Element> Induction::element(const llvm::Value* pointer) const {
  const llvm::DataLayout& layout = body_.getDataLayout();
  Element result{nullptr, 0, 0, INT64_MIN};
  for (const llvm::Value* at = pointer;;) {
    const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(at);
    if (!gep) {
      result.base = at;
      break;
    }
    unsigned width = layout.getIndexTypeSizeInBits(gep->getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> variables;
    llvm::APInt constant(width, 0);
    if (!gep->collectOffset(layout, width, variables, constant)) return std::nullopt;
    result.offset += constant.getSExtValue();
    for (const auto& [variable, scale] : variables) {
      if (!is_index(strip_extension(variable)) || result.stride != 0) return std::nullopt;
      result.stride = scale.getSExtValue();
    }
    at = gep->getPointerOperand();
  }
  if (result.stride == 0 || !is_invariant(result.base)) return std::nullopt;
  return result;
}

bool Induction::element_written(ObjectId object, const Effects& effects) const {
  for (const llvm::BasicBlock& block : body_)
    for (const llvm::Instruction& instruction : block)
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
          store && effects.points_to().objects_pointed_to(store->getPointerOperand()).test(object) &&
          element(store->getPointerOperand()))
        return true;
  return false;
}

bool touch_own_elements(const Induction& induction, llvm::ArrayRef<const llvm::Instruction*> accesses) {
  std::optional<Induction::Element> common;
  for (const llvm::Instruction* access : accesses) {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(access);
    if (!pointer || access->getFunction() != &induction.body()) return false;
    const auto element = induction.element(pointer);
    const int64_t size = int64_t(access->getDataLayout().getTypeStoreSize(
        llvm::getLoadStoreType(const_cast<llvm::Instruction*>(access))));
    if (!element || (common && (common->base != element->base || common->stride != element->stride)))
      return false;
    if (!common) common = element;
    common->offset = std::min(common->offset, element->offset);
    common->end = std::max(common->end, element->offset + size);
  }
  return common && common->end - common->offset <= std::abs(common->stride);
}

ObjectSet own_element_arrays(const llvm::Function& body, const Effects& effects) {
  Induction induction(body);
  const PointsTo& points_to = effects.points_to();
  // Candidates: objects that loads of the body's own function reach through base + index * stride.
  struct Candidate {
    std::optional<Induction::Element> element;
    unsigned loads = 0;
    bool refuted = false;
  };
  llvm::DenseMap<ObjectId, Candidate> candidates;
  llvm::DenseSet<const llvm::Instruction*> own;
  for (const llvm::BasicBlock& block : body)
    for (const llvm::Instruction& instruction : block) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load) continue;
      std::optional<Induction::Element> element = induction.element(load->getPointerOperand());
      if (!element) continue;
      own.insert(load);
      for (unsigned object : points_to.objects_pointed_to(load->getPointerOperand())) {
        Candidate& candidate = candidates[object];
        if (candidate.element &&
            (candidate.element->base != element->base || candidate.element->stride != element->stride ||
             candidate.element->offset != element->offset))
          candidate.refuted = true;
        candidate.element = element;
      }
    }
  // Refuted by any other access of the body, wherever it is made.
  for (const llvm::Function* function : effects.reach(body))
    for (const llvm::BasicBlock& block : *function)
      for (const llvm::Instruction& instruction : block) {
        if (own.contains(&instruction)) continue;
        for (const Access& access : effects.of(instruction))
          if (auto it = candidates.find(access.object); it != candidates.end()) it->second.refuted = true;
      }
  ObjectSet result;
  for (const auto& [object, candidate] : candidates)
    if (!candidate.refuted) result.set(object);
  return result;
}

} // namespace heddle

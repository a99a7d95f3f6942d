// match: marks that mark_along() has tied together. legal: the address is looked for once more, in the code as it is now. profitable: the
// plan's. rewrite: what makes the address, and a prefetch, in front of the earlier mark; all addresses are looked for before any is made,
// so that what is made for one is not taken for the program's own. count: none, the plan has it.
#include "transform/fetch_along.h"

#include "program/address_slice.h"
#include "program/expensive.h"
#include "program/program.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

#include <vector>

using namespace llvm;

namespace heddle {

namespace {

constexpr StringLiteral place = "heddle.place", along = "heddle.along";

struct Along {
  const CallBase* load;
  CallBase* at;
  unsigned into;
  AddressSlice slice;
};

// A load's list has the level of cache, and then the places.
Error find_in(const Function& function, std::vector<Along>& found) {
  const bool any = any_of(instructions(function), [](const Instruction& instruction) {
    return marks_expensive(instruction) && instruction.hasMetadata(along);
  });
  if (!any) return Error::success();
  const AddressSlicer slicer(function);
  for (const CallBase* load : slicer.marks()) {
    const MDNode* list = load->getMetadata(along);
    if (!list) continue;
    const auto into = unsigned(mdconst::extract<ConstantInt>(list->getOperand(0))->getZExtValue());
    for (const CallBase* at : slicer.marks()) {
      const MDNode* here = at->getMetadata(place);
      if (!here || !is_contained(drop_begin(list->operands()), here)) continue;
      AddressSlice slice = slicer.slice(*load, *at);
      if (!slicer.comes_before(*at, *load)) slice.obstacle = "it comes by other ways";
      if (!slice.obstacle.empty())
        return diagnose("a load cannot be fetched along with another: " + slice.obstacle,
                        "make the plan again with `heddle plan`, or with --no-fetch-along",
                        location_of(*load).str());
      found.push_back({load, const_cast<CallBase*>(at), into, std::move(slice)});
    }
  }
  return Error::success();
}

} // namespace

void mark_along(CallBase& load, CallBase& at, unsigned into) {
  LLVMContext& context = load.getContext();
  if (!at.hasMetadata(place)) at.setMetadata(place, MDNode::getDistinct(context, {}));
  SmallVector<Metadata*, 4> list;
  if (const MDNode* before = load.getMetadata(along))
    append_range(list, before->operands());
  else
    list.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), into)));
  list.push_back(at.getMetadata(place));
  load.setMetadata(along, MDNode::get(context, list));
}

Error fetch_along(Module& module) {
  std::vector<Along> found;
  for (const Function& function : module)
    if (Error error = find_in(function, found)) return error;
  for (const Along& one : found)
    fetch_hidden(*one.at, *make_address(*one.load, one.slice, *one.at), one.into);
  return Error::success();
}

} // namespace heddle

// match: all staged bodies. legal: keyed.cpp has checked the ranges of keys. profitable: costs nothing where there are no keys.
// rewrite: constant tables, and at the entry of each body with keys a call that forgets what the context's last packet has
// claimed. count: one row per body.
#include "transform/schedule.h"

#include "program/claims.h"
#include "transform/site.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

namespace {

Constant* words(Module& module, ArrayRef<uint32_t> values) {
  Constant* data = ConstantDataArray::get(module.getContext(), values);
  return new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, "heddle.order");
}

Constant* text(Module& module, StringRef value) {
  Constant* data = ConstantDataArray::getString(module.getContext(), value);
  return new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, "heddle.body");
}

// Per stage, the highest ordered one up to it.
SmallVector<uint32_t, 32> last_ordered(const BodyPlan& body) {
  unsigned stages = unsigned(body.stages.size());
  for (const PlannedSite& site : body.sites)
    stages = std::max(stages, site.stage + 1);
  SmallVector<uint32_t, 32> result;
  for (unsigned s = 0; s != stages; ++s) {
    const bool ordered = s == 0 || s >= body.stages.size() || body.stages[s].ordered;
    result.push_back(ordered ? s : result.back());
  }
  return result;
}

void forget_claims_at_entry(Function& body) {
  IRBuilder<> builder(&*body.getEntryBlock().getFirstInsertionPt());
  FunctionCallee forget = body.getParent()->getOrInsertFunction("heddle_forget_claims", builder.getVoidTy());
  cast<Function>(forget.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
  builder.CreateCall(forget)->setDoesNotThrow();
  forget_conclusions(body);
}

} // namespace

void define_schedules(Module& module, const Plan& plan, Interleaved interleaved) {
  LLVMContext& context = module.getContext();
  auto* pointer = PointerType::get(context, 0);
  Type* word = Type::getInt32Ty(context);
  auto* row = StructType::get(pointer, pointer, pointer, pointer, word, word, word);
  SmallVector<Constant*, 2> rows;
  SmallVector<unsigned, 8> used;
  for (const BodyPlan& body : plan.bodies) {
    const bool scheduled =
        !body.sites.empty() && !(body.interleaved && interleaved == Interleaved::InOneFunction);
    Function* function = scheduled ? module.getFunction(body.body) : nullptr;
    if (!function || function->isDeclaration()) continue;
    SmallVector<uint32_t, 32> ordered = last_ordered(body);
    SmallVector<uint32_t, 24> ranges;
    for (const KeyRange& range : body.keys) {
      append_range(ranges,
                   std::initializer_list<uint32_t>{range.key, range.first, range.last, range.claimed});
      if (!is_contained(used, range.key)) used.push_back(range.key);
    }
    rows.push_back(ConstantStruct::get(row, function, text(module, body.source), words(module, ordered),
                                       words(module, ranges), ConstantInt::get(word, ordered.size()),
                                       ConstantInt::get(word, body.keys.size()),
                                       ConstantInt::get(word, body.least_batch)));
    if (!body.keys.empty()) forget_claims_at_entry(*function);
  }
  drop_claims(module, used);
  if (rows.empty()) return;
  auto* table = ConstantArray::get(ArrayType::get(row, rows.size()), rows);
  auto* schedules = new GlobalVariable(module, table->getType(), true, GlobalValue::WeakAnyLinkage, table,
                                       "heddle_schedules");
  schedules->setVisibility(GlobalValue::HiddenVisibility);
  define_setting(module, "heddle_schedule_count", unsigned(rows.size()));
  if (!used.empty()) define_setting(module, "heddle_key_count", *max_element(used) + 1);
}

} // namespace heddle

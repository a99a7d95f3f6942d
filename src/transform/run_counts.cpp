#include "transform/run_counts.h"

#include "program/program.h"
#include "runtime/layout.h"
#include "transform/site.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

static constexpr unsigned fields[] = {HEDDLE_THREAD_BATCHES, HEDDLE_THREAD_CROSSINGS, HEDDLE_THREAD_VISITS};

void RunCounts::begin(IRBuilder<>& builder) const {
  for (AllocaInst* count : places)
    builder.CreateStore(builder.getInt64(0), count);
}

void RunCounts::add(IRBuilder<>& builder, Which which, Value* amount) const {
  Value* count = builder.CreateLoad(builder.getInt64Ty(), places[which]);
  builder.CreateStore(builder.CreateAdd(count, amount), places[which]);
}

void RunCounts::end(IRBuilder<>& builder) const {
  for (auto [count, field] : zip_equal(places, fields)) {
    Value* total = thread_field(builder, field);
    Value* sum = builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), total),
                                   builder.CreateLoad(builder.getInt64Ty(), count));
    builder.CreateStore(sum, total);
  }
}

void tell_of_run(IRBuilder<>& builder, Value& packets, Value& one_by_one, BasicBlock& then) {
  Function& run = *builder.GetInsertBlock()->getParent();
  Module& module = *run.getParent();
  auto* wanted = cast<GlobalVariable>(module.getOrInsertGlobal("heddle_counted", builder.getPtrTy()));
  wanted->setVisibility(GlobalValue::HiddenVisibility);
  BasicBlock* tell = BasicBlock::Create(module.getContext(), "tell", &run);
  builder.CreateCondBr(builder.CreateIsNull(builder.CreateLoad(builder.getPtrTy(), wanted)), &then, tell);
  builder.SetInsertPoint(tell);
  FunctionCallee counts = module.getOrInsertFunction("heddle_count_interleaved", builder.getVoidTy(),
                                                     builder.getInt64Ty(), builder.getInt32Ty());
  cast<Function>(counts.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
  builder.CreateCall(counts, {&packets, &one_by_one})->setDoesNotThrow();
  builder.CreateBr(&then);
}

} // namespace heddle

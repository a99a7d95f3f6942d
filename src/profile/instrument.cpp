// Block tracing.
//
// Each block begins with
//
//     cursor = load thread-local heddle_profile_cursor
//     if (cursor != load thread-local heddle_profile_limit) {   // equal: not recording, or the buffer is
//     full
//       *cursor = block; heddle_profile_cursor = cursor + 1
//     }
//
// Counters per edge, as in profile-guided optimisation, cost less but lose the order of the blocks, which the
// simulated caches live on; path numbering (Ball and Larus) keeps the order within an acyclic path but needs
// a table per function and says nothing across calls. One word per block is the plain form, and fast enough:
// the buffer is written front to back, so the memory system sees a stream.
#include "profile/instrument.h"

#include "profile/instrument_loads.h"
#include "program/program.h"
#include "support/diagnostic.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle {

namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;

constexpr llvm::StringRef body_prefix = "heddle.body.";

class Instrumenter {
public:
  Instrumenter(llvm::Module& module, const InstrumentOptions& options)
      : module_(module), pointer_(llvm::PointerType::get(module.getContext(), 0)),
        word_(llvm::Type::getInt32Ty(module.getContext())),
        cursor_(thread_local_word("heddle_profile_cursor", options.shared)),
        limit_(thread_local_word("heddle_profile_limit", options.shared)),
        often_(llvm::MDBuilder(module.getContext()).createBranchWeights(1, 1)) {
    auto* id = llvm::ConstantDataArray::getString(module.getContext(), options.program);
    auto* name = new llvm::GlobalVariable(module, id->getType(), true, llvm::GlobalValue::ExternalLinkage, id,
                                          "heddle_profile_program");
    name->setAlignment(llvm::Align(1));
  }

  InstrumentCount run() {
    BlockTable table(module_);
    std::vector<BasicBlock*> blocks;
    for (Function& function : module_)
      if (traceable(function)) {
        ++count_.functions;
        for (BasicBlock& block : function)
          blocks.push_back(&block);
      }
    count_.blocks = blocks.size();
    std::vector<BlockId> ids;
    ids.reserve(blocks.size());
    for (BasicBlock* block : blocks)
      ids.push_back(table.id(block));
    for (size_t i = 0; i < blocks.size(); ++i)
      trace_block(*blocks[i], ids[i]);
    for (Function& function : module_)
      name_body(function);
    finish_before_leaving();
    return count_;
  }

private:
  llvm::GlobalVariable* thread_local_word(llvm::StringRef name, bool shared) {
    auto model = shared ? llvm::GlobalValue::InitialExecTLSModel : llvm::GlobalValue::LocalExecTLSModel;
    auto* variable = new llvm::GlobalVariable(module_, pointer_, false, llvm::GlobalValue::ExternalLinkage,
                                              nullptr, name, nullptr, model);
    variable->setDSOLocal(!shared);
    return variable;
  }

  // A resolver runs before thread-local storage is there; a naked function has no room for code.
  bool traceable(const Function& function) const {
    if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::Naked)) return false;
    for (const llvm::GlobalIFunc& ifunc : module_.ifuncs())
      if (ifunc.getResolverFunction() == &function) return false;
    return true;
  }

  // Where the block's own code begins. Static allocas must stay in the entry block.
  static Instruction* first_place(BasicBlock& block) {
    if (!block.isEntryBlock()) return &*block.getFirstInsertionPt();
    Instruction* place = &*block.getFirstNonPHIOrDbgOrAlloca();
    for (Instruction& instruction : llvm::make_early_inc_range(block)) {
      auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (alloca && alloca->isStaticAlloca() && place->comesBefore(alloca)) alloca->moveBefore(place);
    }
    return place;
  }

  void trace_block(BasicBlock& block, BlockId id) {
    // A catchswitch block has no place for code; Linux programs have none of them.
    if (block.getFirstInsertionPt() == block.end()) return;
    Instruction* place = first_place(block);
    llvm::IRBuilder<> builder(place);
    llvm::Value* cursor = builder.CreateLoad(pointer_, cursor_);
    llvm::Value* limit = builder.CreateLoad(pointer_, limit_);
    Instruction* then =
        llvm::SplitBlockAndInsertIfThen(builder.CreateICmpNE(cursor, limit), place, false, often_);
    builder.SetInsertPoint(then);
    builder.CreateStore(llvm::ConstantInt::get(word_, id), cursor);
    builder.CreateStore(builder.CreateConstGEP1_32(word_, cursor, 1), cursor_);
  }

  void name_body(Function& function) {
    uint32_t number;
    llvm::StringRef name = function.getName();
    if (function.isDeclaration() || !name.consume_front(body_prefix) || name.getAsInteger(10, number)) return;
    llvm::IRBuilder<> builder(first_place(function.getEntryBlock()));
    builder.CreateCall(module_.getOrInsertFunction("heddle_profile_body", builder.getVoidTy(), word_),
                       {builder.getInt32(number)});
  }

  // _exit and exec run no destructors.
  void finish_before_leaving() {
    static constexpr llvm::StringRef leaving[] = {"_exit",  "_Exit",   "quick_exit", "execve", "execv",
                                                  "execvp", "execvpe", "execl",      "execlp", "execle"};
    llvm::FunctionCallee finish =
        module_.getOrInsertFunction("heddle_profile_finish", llvm::Type::getVoidTy(module_.getContext()));
    for (llvm::StringRef name : leaving) {
      Function* function = module_.getFunction(name);
      if (!function || !function->isDeclaration()) continue;
      for (llvm::User* user : llvm::make_early_inc_range(function->users()))
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(user))
          if (call->getCalledFunction() == function) llvm::IRBuilder<>(call).CreateCall(finish);
    }
  }

  llvm::Module& module_;
  llvm::PointerType* pointer_;
  llvm::Type* word_;
  llvm::GlobalVariable *cursor_, *limit_;
  llvm::MDNode* often_;
  InstrumentCount count_;
};

} // namespace

llvm::Expected<InstrumentCount> instrument(llvm::Module& clone, const InstrumentOptions& options) {
  llvm::StripDebugInfo(clone);
  AccessPlaces accesses;
  if (options.loads) accesses = find_accesses(clone);
  InstrumentCount count = Instrumenter(clone, options).run();
  watch_accesses(clone, accesses, options.shared);
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (llvm::verifyModule(clone, &out))
    return diagnose("the instrumented module is not valid: " + problem, "report this with the program");
  return count;
}

} // namespace heddle

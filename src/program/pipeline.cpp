#include "program/pipeline.h"

#include "program/expensive.h"
#include "program/match_bits.h"
#include "program/modelled.h"
#include "program/recurrence.h"
#include "support/diagnostic.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;

namespace heddle {
namespace {

// A PassBuilder with its analysis managers, cross-registered.
struct Passes {
  explicit Passes(TargetMachine& machine) : builder(&machine, tuning()) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
  }

  static PipelineTuningOptions tuning() {
    PipelineTuningOptions options;
    options.LoopVectorization = true; // as clang does from -O2
    options.SLPVectorization = true;
    return options;
  }

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder;
};

void mark_functions(Module& module, ArrayRef<std::string> calls) {
  SmallVector<GlobalValue*, 16> kept;
  for (Function& function : module) {
    // -O0 marks everything; Heddle's own pipeline has to run all the same.
    if (function.hasFnAttribute(Attribute::OptimizeNone)) {
      function.removeFnAttr(Attribute::OptimizeNone);
      function.removeFnAttr(Attribute::NoInline);
    }
    StringRef name = source_name(function);
    if (function.isDeclaration()) continue;
    const auto* declared = find_if(calls, [&](StringRef call) { return is_called(function, call); });
    if (declared != calls.end())
      set_declared_name(function, *declared);
    else if (!is_modelled_inline(name) && !is_contained(pool_allocators(), name))
      continue;
    function.removeFnAttr(Attribute::AlwaysInline);
    function.removeFnAttr(Attribute::InlineHint);
    function.addFnAttr(Attribute::NoInline);
    kept.push_back(&function);
  }
  // As if somebody took their address: a model speaks of arguments by number, so none may be optimised away.
  appendToCompilerUsed(module, kept);
}

bool ends_block(const Instruction& call) {
  const Instruction* next = call.getNextNonDebugInstruction();
  if (auto* branch = dyn_cast<BranchInst>(next)) return branch->isUnconditional();
  return isa<UnreachableInst>(next) || cast<CallInst>(call).isMustTailCall();
}

// A body of which a compiler could make vectors of packets: no loop is in it, and no call but Heddle's own marks.
bool could_be_vectors(Function& body) {
  if (body.hasFnAttribute(Attribute::NoImplicitFloat)) return false;
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> loops;
  FindFunctionBackedges(body, loops);
  return loops.empty() && none_of(instructions(body), [](const Instruction& instruction) {
           return isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction) &&
                  !marks_expensive(instruction);
         });
}

// The bodies, and what they call by name.
SetVector<Function*> run_by(ArrayRef<Function*> bodies) {
  SetVector<Function*> found(bodies.begin(), bodies.end());
  for (size_t i = 0; i != found.size(); ++i)
    for (Instruction& instruction : instructions(*found[i]))
      if (auto* call = dyn_cast<CallBase>(&instruction))
        if (Function* callee = call->getCalledFunction(); callee && !callee->isDeclaration())
          found.insert(callee);
  return found;
}

struct JoinMatches : PassInfoMixin<JoinMatches> {
  static PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    const bool any = join_matches(function, analyses.getResult<TargetIRAnalysis>(function)) != 0;
    return any ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

} // namespace

Expected<std::unique_ptr<TargetMachine>> target_machine(const Module& module) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  std::string error;
  const std::string& triple = module.getTargetTriple();
  const Target* target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return diagnose("no code generator for " + triple + ": " + error, "build the program for this machine");
  // CPU and features are those of each function.
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, "", "", TargetOptions(), Reloc::PIC_));
}

void make_readable(Module& module, TargetMachine& machine, ArrayRef<std::string> calls) {
  module.setIsNewDbgInfoFormat(true);
  mark_functions(module, calls);
  Passes passes(machine);
  ModulePassManager manager;
  manager.addPass(GlobalDCEPass());
  manager.addPass(createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::PreserveCFG)));
  manager.addPass(createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  manager.run(module, passes.modules);
}

void join_branches(TargetMachine& machine, ArrayRef<Function*> functions) {
  Passes passes(machine);
  FunctionPassManager manager;
  manager.addPass(JumpThreadingPass());
  manager.addPass(SROAPass(SROAOptions::PreserveCFG));
  for (Function* function : functions)
    manager.run(*function, passes.functions);
}

void optimise(Module& module, TargetMachine& machine, unsigned level, ArrayRef<std::string> bodies) {
  Passes passes(machine);
  const OptimizationLevel levels[] = {OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
                                      OptimizationLevel::O3};
  OptimizationLevel chosen = levels[std::min(level, 3U)];
  if (level == 0) {
    passes.builder.buildO0DefaultPipeline(chosen).run(module, passes.modules);
    return;
  }
  passes.builder.buildModuleSimplificationPipeline(chosen, ThinOrFullLTOPhase::None)
      .run(module, passes.modules);
  for (Function& function : module)
    if (!function.isDeclaration()) keep_rolled(function);
  SmallVector<Function*, 4> later, now;
  for (StringRef name : bodies)
    if (Function* body = module.getFunction(name)) (could_be_vectors(*body) ? later : now).push_back(body);
  for (Function* body : later)
    body->addFnAttr(Attribute::NoImplicitFloat); // the vectorisers pass over such functions
  FunctionPassManager join;
  join.addPass(JoinMatches());
  for (Function* function : run_by(now))
    passes.functions.invalidate(*function, join.run(*function, passes.functions));
  passes.builder.buildModuleOptimizationPipeline(chosen, ThinOrFullLTOPhase::None)
      .run(module, passes.modules);
  for (Function* body : later)
    body->removeFnAttr(Attribute::NoImplicitFloat);
}

void simplify(TargetMachine& machine, ArrayRef<Function*> functions, bool loops) {
  Passes passes(machine);
  FunctionPassManager manager =
      passes.builder.buildFunctionSimplificationPipeline(OptimizationLevel::O2, ThinOrFullLTOPhase::None);
  if (loops) {
    manager.addPass(LoopVectorizePass());
    manager.addPass(InstCombinePass());
    manager.addPass(JoinMatches());
    manager.addPass(SLPVectorizerPass());
    manager.addPass(LoopUnrollPass());
    manager.addPass(InstCombinePass());
    manager.addPass(SimplifyCFGPass());
  }
  for (Function* function : functions)
    manager.run(*function, passes.functions);
}

unsigned split_after_calls(Module& module) {
  unsigned splits = 0;
  for (Function& function : module)
    for (BasicBlock& block : function)
      for (Instruction& instruction : block) {
        auto* call = dyn_cast<CallInst>(&instruction);
        if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm() || ends_block(*call)) continue;
        block.splitBasicBlock(std::next(call->getIterator()), block.getName() + ".after");
        ++splits;
        break; // the rest of the calls is in the new block, visited next
      }
  return splits;
}

} // namespace heddle

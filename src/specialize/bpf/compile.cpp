#include "specialize/bpf/compile.h"

#include "specialize/bpf/load.h"
#include "support/diagnostic.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

extern "C" {
void LLVMInitializeBPFTargetInfo();
void LLVMInitializeBPFTarget();
void LLVMInitializeBPFTargetMC();
void LLVMInitializeBPFAsmPrinter();
}

namespace heddle {

using llvm::Expected;
using llvm::StringRef;

namespace {

void initialize() {
  static const bool ready = [] {
    LLVMInitializeBPFTargetInfo();
    LLVMInitializeBPFTarget();
    LLVMInitializeBPFTargetMC();
    LLVMInitializeBPFAsmPrinter();
    return true;
  }();
  (void)ready;
}

// clang writes -mcpu onto each function, and the eBPF back end reads it from the machine alone.
StringRef cpu_of(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (!function.isDeclaration()) return function.getFnAttribute("target-cpu").getValueAsString();
  return "";
}

} // namespace

BpfCompiler::BpfCompiler(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::TargetMachine> machine)
    : module_(std::move(module)), machine_(std::move(machine)) {}
BpfCompiler::BpfCompiler(BpfCompiler&&) noexcept = default;
BpfCompiler::~BpfCompiler() = default;

Expected<BpfCompiler> BpfCompiler::open(StringRef bitcode, llvm::LLVMContext& context, StringRef where) {
  initialize();
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, where), context);
  if (!module)
    return diagnose("the bitcode cannot be read: " + llvm::toString(module.takeError()),
                    "compile it again with this version of heddle cc", where);
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget((*module)->getTargetTriple(), why);
  if (!target || !StringRef((*module)->getTargetTriple()).starts_with("bpf"))
    return diagnose("its bitcode is for " + (*module)->getTargetTriple() + ", not for eBPF",
                    "compile it with `heddle cc -target bpf`", where);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      (*module)->getTargetTriple(), cpu_of(**module), "", llvm::TargetOptions(), llvm::Reloc::Static));
  return BpfCompiler(std::move(*module), std::move(machine));
}

// Runs what `build` puts together, with all that passes and the back end need.
void BpfCompiler::run(llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder&)> build) {
  llvm::PipelineTuningOptions tuning; // as clang's driver sets them at -O2
  tuning.LoopUnrolling = tuning.LoopInterleaving = true;
  tuning.LoopVectorization = tuning.SLPVectorization = true;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine_.get(), tuning); // registers what the back end adds
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  build(builder).run(*module_, modules);
}

void BpfCompiler::optimize() {
  run([](llvm::PassBuilder& builder) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  });
}

void BpfCompiler::optimize_again() {
  using namespace llvm;
  run([](PassBuilder& builder) {
    const OptimizationLevel level = OptimizationLevel::O2;
    ModulePassManager passes;
    builder.invokePipelineEarlySimplificationEPCallbacks(passes, level);
    passes.addPass(AlwaysInlinerPass());
    passes.addPass(GlobalDCEPass());
    FunctionPassManager simplify =
        builder.buildFunctionSimplificationPipeline(level, ThinOrFullLTOPhase::None);
    simplify.addPass(SimplifyCFGPass(SimplifyCFGOptions()
                                         .forwardSwitchCondToPhi(true)
                                         .convertSwitchRangeToICmp(true)
                                         .convertSwitchToLookupTable(true)
                                         .needCanonicalLoops(false)
                                         .hoistCommonInsts(true)
                                         .sinkCommonInsts(true)));
    simplify.addPass(InstCombinePass());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(simplify)));
    passes.addPass(GlobalDCEPass());
    passes.addPass(ConstantMergePass());
    return passes;
  });
}

namespace {

// What the back end cannot compile it reports to the context, which would end the process.
class BackEndErrors : public llvm::DiagnosticHandler {
public:
  explicit BackEndErrors(std::string& found) : found_(found) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream out(found_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }

private:
  std::string& found_;
};

} // namespace

Expected<std::string> BpfCompiler::emit() {
  for (llvm::Function& function : *module_)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      instruction.setDebugLoc({});
  std::string errors;
  llvm::LLVMContext& context = module_->getContext();
  auto before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<BackEndErrors>(errors));
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  passes.add(
      new llvm::TargetLibraryInfoWrapperPass(llvm::TargetLibraryInfoImpl(machine_->getTargetTriple())));
  if (machine_->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    return diagnose("LLVM's eBPF target cannot write object files", "install LLVM 19 as Debian ships it");
  passes.run(*module_);
  context.setDiagnosticHandler(std::move(before));
  if (!errors.empty()) return llvm::make_error<Rejected>(errors);
  return std::string(object.data(), object.size());
}

} // namespace heddle

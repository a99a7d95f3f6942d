// From the optimized module to an object file, as clang's own back end would have done it.
//
// What clang hands to the back end beside the module is found again here: CPU and features, frame pointers
// and unwind tables stand on the functions; PIC level, code model and the like are module flags. The
// remaining target options are the driver's defaults for Linux.
//
// The bitcode is what the front end made, before AddressSanitizer and ThreadSanitizer came in; clang runs
// them last, on optimised code, and so does this file, for the functions that ask for them.
#include "toolchain/codegen.h"

#include "support/diagnostic.h"
#include "support/file.h"
#include "support/progress.h"
#include "toolchain/link_record.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle {

using llvm::Error;

namespace {

llvm::TargetOptions target_options(const llvm::Module& module) {
  llvm::TargetOptions options;
  options.UseInitArray = true; // .init_array, not .ctors: static constructors run in the other order there
  options.FunctionSections = true;
  options.DataSections = true;
  options.UniqueSectionNames = true;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // clang contracts in IR
  options.EmulatedTLS = false;
  options.DebuggerTuning = llvm::DebuggerKind::GDB;
  options.MCOptions.ABIName = "";
  if (auto* abi = llvm::dyn_cast_or_null<llvm::MDString>(module.getModuleFlag("target-abi")))
    options.MCOptions.ABIName = abi->getString().str();
  return options;
}

std::unique_ptr<llvm::TargetMachine> machine_for(const llvm::Module& module, std::string& error) {
  static const bool ready = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)ready;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target) return nullptr;
  auto reloc = module.getPICLevel() == llvm::PICLevel::NotPIC ? llvm::Reloc::Static : llvm::Reloc::PIC_;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      module.getTargetTriple(), /*CPU=*/"", /*Features=*/"", target_options(module), reloc,
      module.getCodeModel(), llvm::CodeGenOptLevel::Default));
  if (machine)
    if (auto threshold = module.getLargeDataThreshold()) machine->setLargeDataThreshold(*threshold);
  return machine;
}

// -save-temps builds nest bitcode as a variable of the module; the optimized object carries none.
void drop_embedded_bitcode(llvm::Module& module) {
  llvm::SmallVector<llvm::GlobalVariable*, 4> embedded;
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.getSection() == clang_bitcode_section || variable.getSection() == bitcode_command_section)
      embedded.push_back(&variable);
  if (embedded.empty()) return;
  llvm::removeFromUsedLists(module, [&](llvm::Constant* c) { return llvm::is_contained(embedded, c); });
  for (llvm::GlobalVariable* variable : embedded)
    if (variable->use_empty()) variable->eraseFromParent();
}

bool any_function(const llvm::Module& module, llvm::Attribute::AttrKind attribute) {
  return llvm::any_of(module, [&](const llvm::Function& f) { return f.hasFnAttribute(attribute); });
}

void add_sanitizers(llvm::Module& module, llvm::TargetMachine& machine) {
  bool address = any_function(module, llvm::Attribute::SanitizeAddress);
  bool thread = any_function(module, llvm::Attribute::SanitizeThread);
  if (!address && !thread) return;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (address) {
    llvm::AddressSanitizerOptions options;
    options.UseAfterScope = true;
    options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Runtime;
    passes.addPass(llvm::AddressSanitizerPass(options));
  }
  if (thread) {
    passes.addPass(llvm::ModuleThreadSanitizerPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
  }
  passes.run(module, modules);
}

} // namespace

Error emit_object(llvm::Module& module, llvm::StringRef path) {
  progress_at("generating code");
  drop_embedded_bitcode(module);
  std::string why;
  std::unique_ptr<llvm::TargetMachine> machine = machine_for(module, why);
  if (!machine)
    return diagnose("cannot generate code for " + module.getTargetTriple() + ": " + why,
                    "build the program for this machine", path);
  module.setDataLayout(machine->createDataLayout());
  add_sanitizers(module, *machine);

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl library{llvm::Triple(module.getTargetTriple())};
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile,
                                   /*DisableVerify=*/true))
    return diagnose("the target cannot write object files", "build the program for this machine", path);
  passes.run(module);
  return write_file(path, [&](llvm::raw_ostream& file) { file.write(object.data(), object.size()); });
}

} // namespace heddle

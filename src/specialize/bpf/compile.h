// From bitcode to eBPF objects in memory.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace heddle {

class BpfCompiler {
public:
  // Reads the module; `where` is named in errors.
  static llvm::Expected<BpfCompiler> open(llvm::StringRef bitcode, llvm::LLVMContext& context,
                                          llvm::StringRef where);
  BpfCompiler(BpfCompiler&&) noexcept;
  ~BpfCompiler();

  llvm::Module& module() { return *module_; }

  // LLVM's pipeline for -O2 with what the eBPF back end adds to it, as clang runs it.
  void optimize();

  // What an optimised module needs after it was changed: what is linked into it is inlined, constants propagate and dead code goes. Of the
  // pipeline for -O2 that is the part which simplifies functions, in half the time. Its order is LLVM's own: what the kernel's verifier takes is
  // what clang makes. (With passes picked by hand it refused indexes: bounds were checked on other copies of a number.)
  void optimize_again();

  // The object's bytes, without the lines of instructions, which are a quarter of its cost. The module is scratch afterwards. Errors: Rejected (load.h), where the program has become too much for eBPF.
  llvm::Expected<std::string> emit();

private:
  void run(llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder&)> build);
  BpfCompiler(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

} // namespace heddle

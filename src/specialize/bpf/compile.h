// From bitcode to eBPF objects in memory.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
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

  // LLVM's pipeline for -O2 with what the eBPF back end adds to it, as clang runs it. Running it again after the module was
  // changed is what specialization rests on: constants propagate and dead code goes by LLVM's own passes.
  void optimize();

  // The object's bytes. The module is scratch afterwards. Errors: Rejected (load.h), where the program has become too much for eBPF.
  llvm::Expected<std::string> emit();

private:
  BpfCompiler(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

} // namespace heddle

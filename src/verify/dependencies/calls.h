// Calls of the checker's runtime, and what calls of functions outside the program tell it.
#pragma once

#include "verify/dependencies/library.h"
#include "verify/dependencies/places.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle {

struct CheckedProgram;

// The runtime's functions, as calls at the builder's place.
class RuntimeCalls {
public:
  explicit RuntimeCalls(llvm::Module& module) : module_(module) {}
  void access(llvm::IRBuilder<>& builder, llvm::Value* address, uint32_t what, uint32_t place);
  void range(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Value* size, uint32_t what,
             uint32_t place);
  // heddle_dependencies_NAME(arguments...)
  llvm::CallInst* call(llvm::IRBuilder<>& builder, llvm::StringRef name,
                       llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result = nullptr);

private:
  llvm::Module& module_;
};

class CallInstrumenter {
public:
  CallInstrumenter(llvm::Module& module, RuntimeCalls& runtime, CheckedProgram& result)
      : layout_(module.getDataLayout()), runtime_(runtime), result_(result) {}

  // Does the call do anything that its callee's own instructions do not show?
  bool wanted(const llvm::CallBase& call) const;
  void instrument(llvm::CallBase& call);

private:
  void memory_intrinsic(llvm::CallBase& call);
  void masked(llvm::CallBase& call);
  void library_call(llvm::CallBase& call, const LibraryFunction& function);
  void before(llvm::CallBase& call, const LibraryEffect& effect, uint32_t place);
  void after(llvm::IRBuilder<>& builder, llvm::CallBase& call, const LibraryEffect& effect, uint32_t place);
  void touch(llvm::IRBuilder<>& builder, llvm::CallBase& call, const LibraryEffect& effect,
             llvm::Value* address, uint32_t what, uint32_t place);
  void format(llvm::IRBuilder<>& builder, llvm::CallBase& call, unsigned argument, uint32_t place);
  llvm::Value* size_of(llvm::IRBuilder<>& builder, llvm::CallBase& call, const LibraryEffect& effect);
  llvm::Value* pool_object_size(llvm::IRBuilder<>& builder, llvm::CallBase& call);
  llvm::Value* count_of(llvm::IRBuilder<>& builder, llvm::CallBase& call, const LibraryEffect& effect);
  void unseen(llvm::CallBase& call);

  const llvm::DataLayout& layout_;
  RuntimeCalls& runtime_;
  CheckedProgram& result_;
  llvm::DenseMap<const llvm::Function*, uint32_t> unseen_;
};

} // namespace heddle

// Sampling in a version's code (sample.bpf.c is what is linked into it).
#pragma once

#include "specialize/bpf/sampler.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle {

class SamplingCode {
public:
  // Links what sampling takes into the function's module. Errors: the file is missing, or of another version.
  static llvm::Expected<SamplingCode> link(llvm::Function& function, const Sampler& sampler);

  // Before the lookup: if the packet is sampled, its key is counted.
  void record(llvm::CallInst& lookup, const Sampler::Site& site);

  // Whether the packet is to be sampled; asked once per packet.
  llvm::Value* wanted(llvm::IRBuilder<>& builder) const;

  // A slot on the function's stack: whether the packet is sampled.
  llvm::AllocaInst* sampled() const { return sampled_; }

private:
  SamplingCode() = default;

  llvm::Function* sample_ = nullptr;
  llvm::Function* record_ = nullptr;
  llvm::AllocaInst* sampled_ = nullptr;
  int gaps_ = -1, mean_ = -1;
};

} // namespace heddle

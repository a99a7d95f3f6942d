// Code that is linked into versions (linked.bpf.c), and calls of it.
#pragma once

#include "specialize/bpf/index_maps.h"
#include "specialize/bpf/own_map.h"
#include "specialize/bpf/sampler.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle {

class LinkedCode {
public:
  // Into the function's module. `own`: what it uses is noted there. Errors: the file is missing, or of another version.
  static llvm::Expected<LinkedCode> link(llvm::Function& function, OwnMaps& own);

  // Before the lookup: if the packet is sampled, its key is counted.
  void record(llvm::CallInst& lookup, const Descriptor& sketch);

  // Likewise, that it came there.
  void count(llvm::CallInst& lookup, const Sampler::Reached& site);

  // Counts one where the builder is. `counter`: see make_counter.
  void count_one(llvm::IRBuilder<>& builder, const Descriptor& counter) const;

  // Whether the packet is to be sampled; asked once per packet.
  llvm::Value* wants_sample(llvm::IRBuilder<>& builder, const Sampler& sampler) const;

  // A slot on the function's stack: whether the packet is sampled.
  llvm::AllocaInst* sampled() const { return sampled_; }

  // Looks up in the index instead. Keys that the index does not know all about are left for the table.
  void find_in_index(llvm::CallInst& lookup, const IndexMaps& maps) const;

private:
  LinkedCode() = default;
  llvm::IRBuilder<> if_sampled(llvm::CallInst& lookup);
  llvm::CallInst* call(llvm::IRBuilder<>& builder, const char* name,
                       llvm::ArrayRef<llvm::Value*> arguments) const;

  llvm::Module* module_ = nullptr;
  OwnMaps* own_ = nullptr;
  llvm::AllocaInst* sampled_ = nullptr;
};

} // namespace heddle

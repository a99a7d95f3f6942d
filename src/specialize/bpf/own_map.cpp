#include "specialize/bpf/own_map.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsBPF.h"
#include "llvm/IR/Module.h"

#include <linux/bpf.h>

namespace heddle {

llvm::Value* own_map(llvm::IRBuilder<>& builder, int fd) {
  llvm::Value* address = builder.CreateIntrinsic(
      llvm::Intrinsic::bpf_pseudo, {}, {builder.getInt64(BPF_PSEUDO_MAP_FD), builder.getInt64(fd)});
  return builder.CreateIntToPtr(address, builder.getPtrTy());
}

} // namespace heddle

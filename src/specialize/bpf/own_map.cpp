#include "specialize/bpf/own_map.h"

#include "specialize/bpf/running.h"

#include "llvm/IR/IntrinsicsBPF.h"

#include <bpf/bpf.h>
#include <cerrno>
#include <linux/bpf.h>
#include <sys/mman.h>

namespace heddle {

namespace {

llvm::Value* address_of(llvm::IRBuilder<>& builder, int fd, uint64_t what) {
  llvm::Value* address = builder.CreateIntrinsic(llvm::Intrinsic::bpf_pseudo, {},
                                                 {builder.getInt64(what), builder.getInt64(fd)});
  return builder.CreateIntToPtr(address, builder.getPtrTy());
}

} // namespace

llvm::Expected<Descriptor> make_own_map(const char* name, size_t bytes,
                                        llvm::function_ref<void(char*)> fill) {
  LIBBPF_OPTS(bpf_map_create_opts, options);
  options.map_flags = BPF_F_MMAPABLE;
  Descriptor fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, bytes, 1, &options));
  if (!fd) return bpf_error("a map of a version's own cannot be made", errno, name);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return bpf_error("a map of a version's own cannot be filled", errno, name);
  fill(static_cast<char*>(memory));
  munmap(memory, bytes);
  return fd;
}

llvm::Value* own_map(llvm::IRBuilder<>& builder, int fd) {
  return address_of(builder, fd, BPF_PSEUDO_MAP_FD);
}

llvm::Value* own_value(llvm::IRBuilder<>& builder, int fd) {
  return address_of(builder, fd, BPF_PSEUDO_MAP_VALUE);
}

} // namespace heddle

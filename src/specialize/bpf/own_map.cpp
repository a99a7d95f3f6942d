#include "specialize/bpf/own_map.h"

#include "specialize/bpf/running.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicsBPF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstddef>
#include <linux/bpf.h>
#include <numeric>
#include <sys/mman.h>

namespace heddle {

namespace {

llvm::Value* address_of(llvm::IRBuilder<>& builder, uint64_t number, uint64_t what) {
  llvm::Value* address = builder.CreateIntrinsic(llvm::Intrinsic::bpf_pseudo, {},
                                                 {builder.getInt64(what), builder.getInt64(number)});
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

llvm::Expected<Descriptor> make_counter(const char* name) {
  Descriptor fd(bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, name, 4, sizeof(uint64_t), 1, nullptr));
  if (!fd) return bpf_error("a counter cannot be made", errno, name);
  return fd;
}

llvm::Expected<uint64_t> read_counter(const Descriptor& counter) {
  std::vector<uint64_t> counts(libbpf_num_possible_cpus());
  uint32_t zero = 0;
  if (bpf_map_lookup_elem(counter.get(), &zero, counts.data()) != 0)
    return bpf_error("a counter cannot be read", errno, "a version's own map");
  return std::accumulate(counts.begin(), counts.end(), uint64_t(0));
}

uint64_t OwnMaps::number_of(int fd) {
  auto known = llvm::find(fds_, fd);
  if (known == fds_.end()) known = fds_.insert(known, fd);
  return known - fds_.begin() + 1;
}

llvm::Value* OwnMaps::map(llvm::IRBuilder<>& builder, int fd) {
  return address_of(builder, number_of(fd), BPF_PSEUDO_MAP_FD);
}

llvm::Value* OwnMaps::value(llvm::IRBuilder<>& builder, int fd) {
  return address_of(builder, number_of(fd), BPF_PSEUDO_MAP_VALUE);
}

// The object's other instructions of that kind are relocations still, whose source is zero.
llvm::Error OwnMaps::connect(std::string& object) const {
  using llvm::support::endian::read32le;
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(object);
  if (!file) return file.takeError();
  auto sections = file->sections();
  if (!sections) return sections.takeError();
  for (const auto& section : *sections) {
    if (!(section.sh_flags & llvm::ELF::SHF_EXECINSTR)) continue;
    char* instruction = &object[section.sh_offset];
    for (char* end = instruction + section.sh_size; instruction < end; instruction += sizeof(bpf_insn)) {
      if (instruction[0] != (BPF_LD | BPF_IMM | BPF_DW)) continue;
      unsigned source = static_cast<unsigned char>(instruction[1]) >> 4;
      char* value = instruction + offsetof(bpf_insn, imm);
      instruction += sizeof(bpf_insn); // it is two
      if (source != BPF_PSEUDO_MAP_FD && source != BPF_PSEUDO_MAP_VALUE) continue;
      uint32_t number = read32le(value);
      if (number == 0 || number > fds_.size())
        return diagnose("the program uses a map by its number", "declare it in the section .maps", "version");
      llvm::support::endian::write32le(value, fds_[number - 1]);
    }
  }
  return llvm::Error::success();
}

} // namespace heddle

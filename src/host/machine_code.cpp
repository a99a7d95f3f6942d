#include "host/machine_code.h"

#include "support/diagnostic.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace heddle {

Assembler& Assembler::word(int32_t value) {
  for (unsigned i = 0; i != 4; ++i)
    code_.push_back(uint8_t(uint32_t(value) >> (8 * i)));
  return *this;
}

Assembler& Assembler::addition(unsigned number) {
  // rcx, rdx, r8, r9, r10: registers that a function need not keep.
  static constexpr uint8_t adds[][4] = {{0x48, 0x83, 0xc1, 1},
                                        {0x48, 0x83, 0xc2, 1},
                                        {0x49, 0x83, 0xc0, 1},
                                        {0x49, 0x83, 0xc1, 1},
                                        {0x49, 0x83, 0xc2, 1}};
  return bytes(adds[number % std::size(adds)]);
}

Assembler& Assembler::ordinary(unsigned number) {
  switch (number % 16) {
  case 2:
  case 10:
    return bytes({0x48, 0x39, 0xe4}); // cmp %rsp, %rsp
  case 3:
  case 11:
    return bytes({0x75, 0x00}); // jne to the next instruction
  case 5:
    return bytes({0x4c, 0x89, 0x44, 0x24, 0xf8}); // mov %r8, -8(%rsp)
  case 13:
    return bytes({0x4c, 0x89, 0x4c, 0x24, 0xf0}); // mov %r9, -16(%rsp)
  case 8:
    return bytes({0x48, 0x85, 0xff}); // test %rdi, %rdi
  default:
    return addition(number);
  }
}

Assembler& Assembler::align(size_t size) {
  while (code_.size() % size != 0)
    code_.push_back(0xcc);
  return *this;
}

llvm::Expected<MachineCode> MachineCode::load(llvm::ArrayRef<uint8_t> code) {
  auto fail = [](int error) {
    return diagnose(llvm::Twine("cannot run code made to be measured: ") + strerror(error),
                    "the system forbids it (SELinux's execmem, or a limit of memory); calibrate where it is "
                    "allowed, or plan "
                    "with a stored host: --host");
  };
  void* memory = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail(errno);
  MachineCode result(memory, code.size());
  memcpy(memory, code.data(), code.size());
  if (mprotect(memory, code.size(), PROT_READ | PROT_EXEC) != 0) return fail(errno);
  return std::move(result);
}

MachineCode::~MachineCode() {
  if (memory_) munmap(memory_, size_);
}

uint64_t scramble(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

} // namespace heddle

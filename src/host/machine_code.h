// Code that is made to be measured.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {

// Bytes of x86-64 instructions.
class Assembler {
public:
  Assembler& bytes(llvm::ArrayRef<uint8_t> code) {
    code_.insert(code_.end(), code.begin(), code.end());
    return *this;
  }
  Assembler& word(int32_t value); // little endian
  // One addition of 1 to the `number`-th of a few registers in turn, independent of its neighbours; 4 bytes. None touches rdi, rsi,
  // rax and r11.
  Assembler& addition(unsigned number);
  // The `number`-th instruction of a mix as compilers make it: of sixteen, nine additions, two stores below the stack pointer, two
  // pairs of a comparison and a branch that is never taken, and one test. They touch what additions do.
  Assembler& ordinary(unsigned number);
  // Fills up to a multiple of `size` bytes with traps: nothing runs there.
  Assembler& align(size_t size);
  size_t size() const { return code_.size(); }
  const std::vector<uint8_t>& code() const { return code_; }

private:
  std::vector<uint8_t> code_;
};

// Code in pages that are executable, and no longer writable. Called with two arguments, as a C function.
class MachineCode {
public:
  // Errors: the system does not let a program run code that it has made.
  static llvm::Expected<MachineCode> load(llvm::ArrayRef<uint8_t> code);
  MachineCode(MachineCode&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), size_(other.size_) {}
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;
  ~MachineCode();

  // The sanitizer would look for a function's type in front of it, where nothing is mapped.
  __attribute__((no_sanitize("function"))) void run(const void* first = nullptr, uint64_t second = 0) const {
    reinterpret_cast<void (*)(const void*, uint64_t)>(memory_)(first, second);
  }

private:
  MachineCode(void* memory, size_t size) : memory_(memory), size_(size) {}
  void* memory_;
  size_t size_;
};

// 64 bits that look random, from a number that need not.
uint64_t scramble(uint64_t number);

} // namespace heddle

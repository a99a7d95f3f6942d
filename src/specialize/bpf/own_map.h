// Maps of Heddle's own that versions use. Code has them by number, so that it stays the same where it uses other maps in the same way;
// its object gets their descriptors. The kernel looks these up when a version is loaded, and keeps the maps for as long as it lives.
#pragma once

#include "support/descriptor.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace heddle {

// A map of one value of so many bytes, filled through memory.
llvm::Expected<Descriptor> make_own_map(const char* name, size_t bytes, llvm::function_ref<void(char*)> fill);

// A map of one number per processor, from zero, and their sum.
llvm::Expected<Descriptor> make_counter(const char* name);
llvm::Expected<uint64_t> read_counter(const Descriptor& counter);

// Those that one version uses.
class OwnMaps {
public:
  // The map of this process's descriptor `fd` as helpers take it, and the address of its one value.
  llvm::Value* map(llvm::IRBuilder<>& builder, int fd);
  llvm::Value* value(llvm::IRBuilder<>& builder, int fd);

  // Puts the descriptors into the object that the code has become. Errors: it is not such an object.
  llvm::Error connect(std::string& object) const;

private:
  uint64_t number_of(int fd);

  std::vector<int> fds_; // number 1 is the first
};

} // namespace heddle

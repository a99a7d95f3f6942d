// The places of a checked program: each instrumented instruction, by number.
#pragma once

#include "program/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instruction.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace heddle {

struct AccessPlace {
  std::string function, at; // as written: the innermost inlined function, file:line
  std::string call;         // the library function that makes the access, if it is one
};

class Places {
public:
  static constexpr uint32_t loop = 1; // a packet leaves the packet loop

  explicit Places(llvm::ArrayRef<PacketBody> bodies = {});
  // Numbers from 2 on; instructions of one source line and function share one.
  uint32_t add(const llvm::Instruction& at, llvm::StringRef call = "");
  const AccessPlace& operator[](uint32_t number) const;

private:
  std::map<std::string, std::string> bodies_; // the function that held the packet loop, by its body's name
  std::vector<AccessPlace> places_;
  std::map<std::tuple<std::string, std::string, std::string>, uint32_t> numbers_;
};

} // namespace heddle

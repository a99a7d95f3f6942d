// The data sections of an eBPF object, which libbpf makes maps of.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace heddle {

struct DataSection {
  std::string bytes;                   // as in the file; empty for .bss
  llvm::StringMap<uint64_t> variables; // where each begins
  uint64_t size = 0;

  bool operator==(const DataSection& other) const {
    return bytes == other.bytes && size == other.size && variables == other.variables;
  }
};

// By section name; Heddle's own (load.h) are left out.
using DataSections = std::map<std::string, DataSection>;

llvm::Expected<DataSections> data_sections_of(llvm::StringRef object);

} // namespace heddle

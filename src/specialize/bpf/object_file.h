// An eBPF object as `heddle cc -target bpf` leaves it: machine code for the loader, and its bitcode in a section of its own.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

struct BpfObjectFile {
  std::string path;
  std::string bytes;   // the whole file
  std::string bitcode; // of its one translation unit, unoptimised
};

// Errors: not readable; not an eBPF object; no bitcode inside; several modules.
llvm::Expected<BpfObjectFile> read_bpf_object(llvm::StringRef path);

} // namespace heddle

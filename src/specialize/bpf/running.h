// The program that runs: what the kernel tells of it and of its maps.
#pragma once

#include "support/descriptor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace heddle {

struct RunningMap {
  Descriptor fd;
  uint32_t id = 0;
  std::string name; // up to 15 characters
  uint32_t type = 0, key_bytes = 0, value_bytes = 0, most_entries = 0, flags = 0;
  bool frozen = false; // no system call changes it any more
};

struct RunningProgram {
  Descriptor fd;
  uint32_t id = 0;
  std::string name; // up to 15 characters
  uint32_t type = 0;
  std::string tag; // hex digest of the instructions as loaded, maps left out
  // Instructions that the verifier looked at, one as often as it did; 0: the kernel is too old to tell.
  uint32_t verified = 0;
  std::string code; // instructions as the verifier left them, with the ids of maps in place of addresses
  std::vector<RunningMap> maps;
};

llvm::Expected<RunningMap> open_map(uint32_t id);

// Errors: no such program; not permitted.
llvm::Expected<RunningProgram> open_running_program(uint32_t id);

// The same of a program that this process has loaded itself.
llvm::Expected<RunningProgram> open_running_program(Descriptor fd);

// The id of the program pinned at `path` in a BPF file system.
llvm::Expected<uint32_t> program_pinned_at(llvm::StringRef path);

// The id of the XDP program on a network interface.
llvm::Expected<uint32_t> program_on_interface(llvm::StringRef name);

// The programs in an array of programs: key and id.
struct ArrayElement {
  uint32_t key, program;
};
std::vector<ArrayElement> programs_in(const RunningMap& array);

// An error of the bpf system call, with the hint that fits errno.
llvm::Error bpf_error(const llvm::Twine& what, int error, const llvm::Twine& where);

} // namespace heddle

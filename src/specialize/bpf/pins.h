// What stays in place even if all of Heddle's processes are killed at the same moment: pins in a BPF file system.
//
// A version is right as long as the watch sees every change of a table. So the watch's links are pinned for as long as versions run, and so is
// each original program, which nobody else may hold. A version that is left behind then falls back to its original body with the
// first change, and goes on so; the next Heddle puts the original back.
#pragma once

#include "specialize/bpf/watch.h"
#include "support/descriptor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace heddle {

inline constexpr const char* usual_bpf_file_system = "/sys/fs/bpf";

bool is_bpf_file_system(llvm::StringRef path);

// A folder of the session's own, locked for as long as one of its processes lives.
class Pins {
public:
  // `original`: the id of the program in front.
  static llvm::Expected<Pins> make(llvm::StringRef file_system, uint32_t original, const Watch& watch);
  Pins(Pins&&) noexcept = default;
  Pins& operator=(Pins&&) = delete;
  ~Pins(); // what nobody needs any more goes

  // An original program that versions are about to take the place of; `remove` once it is in place again.
  llvm::Error add(uint32_t original, int fd) const;
  void remove(uint32_t original) const;

private:
  Pins(std::string folder, Descriptor lock) : folder_(std::move(folder)), lock_(std::move(lock)) {}

  std::string folder_;
  Descriptor lock_;
};

// Puts back what sessions that were killed with all their processes have left in this namespace. Where, for each.
std::vector<std::string> restore_left_behind(llvm::StringRef file_system);

} // namespace heddle

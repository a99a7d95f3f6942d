// Running other programs: the compiler, the linker, the user's program.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct ProcessOptions {
  std::vector<std::pair<std::string, std::string>> environment; // added to this process's own
  std::string stdin_path, stdout_path, stderr_path;             // empty: inherited
  std::string directory;                                        // empty: the current one
  unsigned timeout_seconds = 0;                                 // 0: none
  std::optional<unsigned> core;                                 // pin to this CPU
  // A process group of its own (also with a timeout), so that whatever it starts can be ended with it. It
  // then cannot read from a terminal.
  bool own_group = false;
};

struct ProcessResult {
  int exit_status = 0; // 128 + signal when killed by one
  bool timed_out = false;
  double wall_seconds = 0, user_seconds = 0, system_seconds = 0;
  long peak_memory_kib = 0;

  bool ok() const { return exit_status == 0 && !timed_out; }
};

// Runs `program` (a path, or a name looked up in PATH) with `args` (program's own name not among them) and
// waits. Fails only when it cannot be started.
llvm::Expected<ProcessResult> run_process(llvm::StringRef program, llvm::ArrayRef<std::string> args,
                                          const ProcessOptions& options = {});

} // namespace heddle

// A profiled run of a program, from the prepared module to the profile file.
#pragma once

#include "profile/trace.h"
#include "program/program.h"

#include <cstdint>
#include <string>

namespace heddle {

struct ProfileOptions {
  uint64_t count = 20000;        // packets in the sample, spread over the whole input
  double share = 100;            // per cent of the packets to take, in runs of neighbours
  uint64_t run = 256;            // packets per run of neighbours
  uint64_t accesses = 64 << 20;  // of memory that are simulated at most; 0: none
  uint64_t last_level_bytes = 0; // of the host's, where it has less than it says; 0: what it says
  std::string dcache;            // "48K:12,2M:16,32M:16"; empty: the host's
  unsigned timeout_seconds = 0;  // 0: none
  std::string stdin_path, stdout_path, stderr_path, directory; // of the program; empty: inherited
};

struct ProfileResult {
  uint64_t packets = 0, packets_seen = 0, packets_dropped = 0, events = 0;
  size_t functions = 0, blocks = 0; // instrumented
  int exit_status = 0;              // of the program
  bool timed_out = false;           // stopped by the time limit, after its sample was complete
  double build_seconds = 0, run_seconds = 0;
};

// Builds the instrumented program in a temporary folder, runs it on `args`, and writes the profile to
// `out_path`. A program that ends with a non-zero status of its own accord is no error.
// Errors: the build fails; the program crashes or hangs; it ran no packet; its trace could not be written. No
// file is left then.
llvm::Expected<ProfileResult> collect_profile(const ProgramImage& image, const Program& program,
                                              llvm::ArrayRef<std::string> args, const ProfileOptions& options,
                                              llvm::StringRef out_path);

// libheddle_profile_rt.a: in $HEDDLE_LIB, or in ../lib/heddle of the running executable.
llvm::Expected<std::string> profile_runtime();

} // namespace heddle

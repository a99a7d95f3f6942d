// What the profile runtime left in a folder, made into a Trace.
#pragma once

#include "profile/trace.h"

namespace heddle {

// Reads the file at `path`, or that of a child process (`path`.PID) if it holds more packets: a server's
// workers run the packets, and the process that was started only waits. Errors: none was written, none was
// finished (the program was killed), it could not be written (disk full).
// Takes about `count` packets, in runs of `run` neighbours spread evenly over the input; all that were recorded if
// there are no more.
struct SampleSize {
  uint64_t count = UINT64_MAX, run = 256; // packets
};
llvm::Expected<Trace> read_raw_traces(llvm::StringRef path, llvm::StringRef program_id, SampleSize size = {});

// Packets in the file so far, while the program runs; 0 when there is none yet.
uint64_t raw_progress(llvm::StringRef path);

} // namespace heddle

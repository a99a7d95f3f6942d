// The measurements: each fills its part of a host. How each is made stands in its file, and in docs/model.md for users.
#pragma once

#include "host/arena.h"
#include "host/samples.h"

#include "llvm/Support/Error.h"

namespace heddle {

struct Effort {
  unsigned rounds = 15;                 // repetitions of each measurement
  uint64_t most_code_kib = 16 * 1024;   // largest footprint of code
  uint64_t most_data_kib = 1024 * 1024; // largest working set; less where the system has little memory
};

// Cost of code against its footprint; and instructions per cycle where it fits. front_end.cpp
llvm::Error measure_front_end(Host& host, const Effort& effort);
// Instructions per cycle of code that waits for nothing. instructions.cpp
llvm::Error measure_instructions(Host& host, const Effort& effort);
// Latency and overlap of each level, and page walks. memory.cpp
llvm::Error measure_memory(Host& host, const Effort& effort);
// How many instructions run ahead of one that waits. window.cpp
llvm::Error measure_window(Host& host, const Effort& effort);
// Stepping aside, by both mechanisms. switches.cpp
llvm::Error measure_switches(Host& host, const Effort& effort);
// Receive and transmit calls. calls.cpp
llvm::Error measure_calls(Host& host, const Effort& effort);

// Cycles of one load of a linked arena's cycle. memory.cpp
Summary measure_latency(const Arena& arena, unsigned rounds);

} // namespace heddle

// Which level of the memory hierarchy answers each load of the sample's packets. All figures are simulated.
#pragma once

#include "program/program.h"
#include "program/reads.h"
#include "support/diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class CallInst;
}

namespace heddle {

// A load of the prepared module: the block's `number`-th, from 0, of what reads memory there (program/reads.h).
struct LoadPlace {
  BlockId block = 0;
  uint32_t number = 0;
};

// What was counted of it, after the caches were filled.
struct LoadCounts {
  LoadPlace place;
  uint64_t accesses = 0, level2 = 0, level3 = 0, memory = 0; // found there; the rest in level 1
  uint64_t walks = 0; // translations that took a walk of the page table
};

// A call of a function that is not in the program: the `number`-th of the prepared module's. `ticks` of the time stamp counter are what a
// quarter of the calls stayed below: the others met interrupts, or caches full of the simulation's data. One that sleeps counts with its sleep.
struct CallTime {
  BlockId block = 0;
  uint32_t number = 0;
  uint64_t calls = 0, ticks = 0;
};

// The data caches of a host: three levels, and second-level translations.
struct DataCaches {
  struct Level {
    uint64_t bytes, ways;
  } levels[3] = {{48 << 10, 12}, {2 << 20, 16}, {32 << 20, 16}};
  uint64_t line = 64, page = 4096, translations = 2048, translation_ways = 16;
};

// From sysfs, with `text`, "48K:12,2M:16,30M:15", in place of it where given. Errors: what is wrong with the text.
llvm::Expected<DataCaches> data_caches(llvm::StringRef text);

// The loads of a module that may touch what is not the function's own, in order of blocks.
struct CountedLoad {
  MemoryRead read;
  LoadPlace place;
};
std::vector<CountedLoad> counted_loads(llvm::Module& module);

// Calls of functions that the module has no code of, and that come back once, in order of blocks.
struct TimedCall {
  llvm::CallInst* call = nullptr;
  BlockId block = 0;
};
std::vector<TimedCall> timed_calls(llvm::Module& module);

// The file that the profile runtime counts in (runtime/loads_format.h).
llvm::Error make_loads_file(llvm::StringRef path, size_t loads, size_t calls, const DataCaches& caches,
                            uint64_t most_accesses);
struct LoadsFile {
  std::vector<LoadCounts> loads;
  std::vector<CallTime> calls;
};
// `module`: the prepared one. Loads and calls that nobody made are left out.
llvm::Expected<LoadsFile> read_loads_file(llvm::StringRef path, llvm::Module& module);

} // namespace heddle

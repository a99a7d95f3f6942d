// Instruction-cache simulation with real sets and ways (true LRU), of the original order of a trace and of
// the order a plan would give it. All figures are simulated and are labelled so wherever they are shown.
#pragma once

#include "profile/footprint.h"
#include "profile/trace.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace heddle {

struct CacheGeometry {
  uint64_t bytes = 32 * 1024;
  unsigned ways = 8;
  unsigned line = 64;
  std::string str() const; // "32K:8"
};

// "32K:8", "64K:16", "1M:16"; a list is separated by commas. Errors name what is wrong with it.
llvm::Expected<std::vector<CacheGeometry>> parse_geometries(llvm::StringRef text);

struct DataCaches; // loads.h
// The data caches of this host, from sysfs; those of a common server where it does not tell.
DataCaches host_dcaches();

// The level-1 instruction cache of this host, from sysfs; 32K:8 where it does not tell.
CacheGeometry host_icache();

struct CacheResult {
  uint64_t instructions = 0, line_accesses = 0, misses = 0;
  double mpki() const { return instructions ? 1000.0 * double(misses) / double(instructions) : 0; }
};

// Packets one after the other, as the program was written.
CacheResult simulate_original(const Trace& trace, const FootprintMap& footprint, const CacheGeometry& cache);

// Batches of at most `batch` packets of one receive call; within a batch stage by stage, packets in order.
// `segment(packet, stages)` appends, for the packet, the index into blocks(packet) at which each stage
// k = 1, 2, ... begins: (stage, index) pairs with rising stage; a stage that is skipped is absent.
using Segmenter = llvm::function_ref<void(const TracedPacket&, std::vector<std::pair<unsigned, uint64_t>>&)>;
CacheResult simulate_staged(const Trace& trace, const FootprintMap& footprint, const CacheGeometry& cache,
                            unsigned batch, Segmenter segment);

} // namespace heddle

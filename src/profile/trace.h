// What a profiled run leaves: for each sampled packet, the blocks it ran, in order.
#pragma once

#include "profile/loads.h"
#include "program/block_id.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct TracedPacket {
  uint32_t body;       // which PacketBody
  uint32_t batch;      // packets of one batch share the number
  uint64_t begin, end; // its blocks: events[begin, end)
};

struct Trace {
  std::string program;         // Program::id; a mismatch is refused
  std::vector<BlockId> events; // block ids, packet after packet
  std::vector<TracedPacket> packets;
  std::vector<LoadCounts> loads; // of the prepared module, simulated
  std::vector<CallTime> calls;   // likewise, measured
  uint64_t packets_seen = 0;     // sampled or not
  uint64_t packets_dropped = 0;  // sampled, but longer than the trace buffer or left by longjmp
  llvm::ArrayRef<BlockId> blocks(const TracedPacket& p) const {
    return llvm::ArrayRef<BlockId>(events).slice(p.begin, p.end - p.begin);
  }

  // Forgets the packets of all other bodies; the events stay.
  void keep_body(uint32_t body);
};

// Writes `trace`, compressed, whole or not at all.
llvm::Error write_trace(const Trace& trace, llvm::StringRef path);

// Errors: foreign (not a profile), made by a newer Heddle, of another build than `program_id` (unless that is
// empty), truncated or damaged.
llvm::Expected<Trace> read_trace(llvm::StringRef path, llvm::StringRef program_id);

} // namespace heddle

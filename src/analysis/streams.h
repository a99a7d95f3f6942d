// Which stream a call of the C library works on, and which descriptors are no stream's.
#pragma once

#include "analysis/points_to.h"

#include "llvm/ADT/SmallVector.h"

namespace heddle {

struct Stream {
  Place place; // in the StdioChannel object
  uint64_t size = unknown_size;
  bool deferrable = true;        // what is written to it does not end in memory that the program reads
  bool descriptor_in_use = true; // the program may use its descriptor by itself
};

// The streams that argument `argument` of the call may be (ModelClause::standard_output: that one; another
// negative number: any).
llvm::SmallVector<Stream, 2> streams_of(const PointsTo& points_to, const llvm::CallBase& call, int argument);

// Is it a descriptor that belongs to no stream?
bool is_own_descriptor(const PointsTo& points_to, const llvm::Value& descriptor);

} // namespace heddle

// An index (specialize/index.h) in maps of Heddle's own. They are frozen: nobody writes them once they are made.
#pragma once

#include "specialize/index.h"
#include "support/descriptor.h"

#include "llvm/Support/Error.h"

namespace heddle {

struct IndexMaps {
  Index index;              // without its nodes and values
  Descriptor nodes, values; // each a map of one value, which holds all of them
  uint32_t node_count = 0, value_count = 0, value_stride = 0;
  uint32_t key_bytes = 0; // of the table

  size_t bytes() const { return size_t(4) * node_count + size_t(value_stride) * value_count; }
};

llvm::Expected<IndexMaps> make_index_maps(Index index, const Table& table);

} // namespace heddle

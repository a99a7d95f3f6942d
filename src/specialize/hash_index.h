// An index of any keys.
#pragma once

#include "specialize/index.h"

namespace heddle {

// For a complete table of exact keys, at least one. Fills `why` where it returns false.
bool index_hashed(const Table& table, Index& index, NoIndex& why);

} // namespace heddle

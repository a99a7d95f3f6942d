// Which loads have to wait for one another: those whose address is made of what another has loaded. The processor makes all others that lie in
// its window at once (APSys 2017, section 2: the stalls of a packet's independent look-ups overlap), so only chains of loads add up.
#pragma once

#include "program/reads.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace heddle {

struct AddressChain {
  unsigned behind = 0; // at most so many of the others wait, one for the other, before its address is known
  bool follows_itself =
      false; // made again, it needs what it, or one that needs it, loaded before: a list's next element
};

// One for each read, of one module. By data alone: where a branch depends on what was loaded, the processor goes on by its guess.
std::vector<AddressChain> address_chains(llvm::ArrayRef<MemoryRead> reads);

} // namespace heddle

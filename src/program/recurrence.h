// Loops whose every iteration has to wait for a load of the one before: an automaton's next state, the next element of a list. Wherever the
// data lies, a packet then takes as long as the chain of loads and of what is made of them, however much the processor could do meanwhile.
#pragma once

#include <map>
#include <memory>
#include <optional>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class Loop;
class LoopInfo;
} // namespace llvm

namespace heddle {

struct Recurrence {
  double cycles = 0; // along the chain, per iteration, with all loads answered by the first level of cache
  double instructions = 0; // of an iteration
};

class Recurrences {
public:
  Recurrences();
  ~Recurrences();

  // The innermost loop there, if packets could run it side by side (transform/lanes.h): it makes no calls. Else null.
  const llvm::Loop* loop_around(const llvm::BasicBlock& block);
  // None: the load is part of no chain of that loop.
  std::optional<Recurrence> of(const llvm::Instruction& load);

private:
  std::map<const llvm::Function*, std::unique_ptr<llvm::LoopInfo>> loops_;
};

// Keeps the optimiser from unrolling such loops: it would gain nothing, and a lane holds more of a small iteration.
void keep_rolled(llvm::Function& function);

} // namespace heddle

#include "program/recurrence.h"

#include "program/expensive.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

using namespace llvm;

namespace heddle {

namespace {

constexpr double load_cycles = 5; // of the first level of cache, with an index

bool makes_calls(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction) && !marks_expensive(instruction))
        return true;
  return false;
}

double instructions_of(const Loop& loop) {
  double count = 0;
  for (const BasicBlock* block : loop.blocks())
    count += double(count_if(*block, [](const Instruction& instruction) {
      return !isa<PHINode, GetElementPtrInst, CastInst, IntrinsicInst>(instruction) &&
             !marks_expensive(instruction);
    }));
  return count;
}

// The longest way, in cycles, from what the last iteration left in one of the header's phis.
class Ways {
public:
  Ways(const Loop& loop, const PHINode& from) : loop_(loop), from_(from) {}

  // None: it does not depend on it.
  std::optional<double> to(const Value& value) {
    const auto* instruction = dyn_cast<Instruction>(&value);
    if (instruction == &from_) return 0;
    if (!instruction || !loop_.contains(instruction)) return std::nullopt;
    if (isa<PHINode>(instruction) && instruction->getParent() == loop_.getHeader()) return std::nullopt;
    auto [known, fresh] = known_.try_emplace(instruction);
    if (!fresh) return known->second;
    std::optional<double> longest;
    for (const Value* operand : instruction->operand_values())
      if (auto way = to(*operand)) longest = std::max(longest.value_or(0), *way + cycles_of(*instruction));
    return known_[instruction] = longest;
  }

private:
  static double cycles_of(const Instruction& instruction) {
    if (isa<LoadInst>(instruction)) return load_cycles;
    if (const auto* address = dyn_cast<GetElementPtrInst>(&instruction)) return is_scaled(*address) ? 1 : 0;
    return isa<PHINode, CastInst, FreezeInst>(instruction) ? 0 : 1;
  }

  // Does it take more than what an addressing mode can do?
  static bool is_scaled(const GetElementPtrInst& address) {
    const auto bytes = address.getResultElementType()->getPrimitiveSizeInBits().getFixedValue() / 8;
    const auto variable =
        count_if(address.indices(), [](const Value* index) { return !isa<Constant>(index); });
    return variable > 1 || (variable == 1 && bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8);
  }

  const Loop& loop_;
  const PHINode& from_;
  DenseMap<const Instruction*, std::optional<double>> known_;
};

// Within an iteration.
bool depends_on(const Value& value, const Instruction& on, const Loop& loop) {
  SmallPtrSet<const Value*, 16> seen;
  SmallVector<const Value*, 16> work{&value};
  while (!work.empty()) {
    const auto* instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction || !loop.contains(instruction) || !seen.insert(instruction).second) continue;
    if (instruction == &on) return true;
    if (!isa<PHINode>(instruction) || instruction->getParent() != loop.getHeader())
      append_range(work, instruction->operand_values());
  }
  return false;
}

} // namespace

Recurrences::Recurrences() = default;
Recurrences::~Recurrences() = default;

const Loop* Recurrences::loop_around(const BasicBlock& block) {
  auto& loops = loops_[block.getParent()];
  if (!loops) loops = std::make_unique<LoopInfo>(DominatorTree(const_cast<Function&>(*block.getParent())));
  const Loop* loop = loops->getLoopFor(&block);
  return loop && loop->isInnermost() && !makes_calls(*loop) ? loop : nullptr;
}

std::optional<Recurrence> Recurrences::of(const Instruction& load) {
  const Loop* loop = loop_around(*load.getParent());
  if (!loop) return std::nullopt;
  std::optional<Recurrence> found;
  for (const PHINode& phi : loop->getHeader()->phis()) {
    Ways ways(*loop, phi);
    if (!ways.to(load)) continue;
    for (const BasicBlock* latch : predecessors(loop->getHeader())) {
      if (!loop->contains(latch)) continue;
      const Value& next = *phi.getIncomingValueForBlock(latch);
      const std::optional<double> cycles = ways.to(next);
      if (!cycles || !depends_on(next, load, *loop)) continue;
      if (!found || found->cycles < *cycles) found = {*cycles, instructions_of(*loop)};
    }
  }
  return found;
}

void keep_rolled(Function& function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  Recurrences recurrences;
  for (Loop* loop : loops.getLoopsInPreorder())
    for (BasicBlock* block : loop->isInnermost() ? loop->getBlocks() : ArrayRef<BasicBlock*>())
      if (any_of(*block, [&](const Instruction& instruction) {
            return isa<LoadInst>(instruction) && recurrences.of(instruction);
          })) {
        loop->setLoopAlreadyUnrolled();
        break;
      }
}

} // namespace heddle

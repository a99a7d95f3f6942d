#include "plan/expensive_loads.h"

#include "program/expensive.h"
#include "program/modelled.h"
#include "program/reads.h"
#include "program/recurrence.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <map>
#include <set>
#include <tuple>

using namespace llvm;

namespace heddle {

namespace {

// How often packets of one body ran each block, and instructions, before code generation, per packet.
struct BodyRuns {
  uint64_t packets = 0;
  double instructions = 0;
  DenseMap<BlockId, uint64_t> visits;
};

std::vector<BodyRuns> count_runs(const Program& program, const Trace& trace, const BlockTable& blocks) {
  std::vector<double> sizes;
  for (BlockId id = 0; id != blocks.size(); ++id)
    sizes.push_back(double(count_if(*blocks.block(id), [](const Instruction& instruction) {
      return !isa<PHINode>(instruction) && !isa<DbgInfoIntrinsic>(instruction);
    })));
  std::vector<BodyRuns> runs(program.bodies.size());
  std::map<unsigned, size_t> index;
  for (size_t b = 0; b != program.bodies.size(); ++b)
    index[program.bodies[b].number] = b;
  for (const TracedPacket& packet : trace.packets) {
    auto found = index.find(packet.body);
    if (found == index.end()) continue;
    BodyRuns& body = runs[found->second];
    ++body.packets;
    for (BlockId block : trace.blocks(packet)) {
      ++body.visits[block];
      body.instructions += sizes[block];
    }
  }
  for (BodyRuns& body : runs)
    body.instructions /= double(std::max<uint64_t>(1, body.packets));
  return runs;
}

// Do both addresses differ by less than a cache line, which is known?
bool are_close(const Value& a, const Value& b, const DataLayout& layout) {
  constexpr int64_t line = 64;
  auto split = [&](const Value& pointer) {
    APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
    const Value* base = pointer.stripAndAccumulateConstantOffsets(layout, offset, true);
    return std::pair(base, offset.getSExtValue());
  };
  const auto [base, offset] = split(a);
  const auto [other_base, other_offset] = split(b);
  return base == other_base && std::abs(offset - other_offset) < line;
}

// Does the source name it? Then its place to wait stands right before its block, or, on all ways to it, further up with an address
// close by.
bool is_named(const MemoryRead& read) {
  const DataLayout& layout = read.by->getModule()->getDataLayout();
  const BasicBlock* before = read.by->getParent()->getSinglePredecessor();
  for (unsigned steps = 0; before && steps != 16; ++steps, before = before->getSinglePredecessor()) {
    const CallBase* marker = expensive_load_of(*before);
    if (!marker) continue;
    const Value& named = *marker->getArgOperand(0);
    if (steps == 0 && getUnderlyingObject(&named) == getUnderlyingObject(read.address)) return true;
    if (are_close(named, *read.address, layout)) return true;
  }
  return false;
}

// The loop around it, and what of an iteration is spent waiting for the one before.
void describe_loop(OpenedLoad& load, const Instruction& found, const BlockTable& blocks,
                   Recurrences& recurrences, const MemoryModel& model) {
  const Loop* loop = recurrences.loop_around(*found.getParent());
  if (!loop) return;
  load.loop = blocks.id(loop->getHeader());
  const auto chain = recurrences.of(found);
  if (!chain) return;
  load.iteration = chain->instructions;
  load.chain = std::max(0.0, chain->cycles - chain->instructions / model.per_cycle);
}

OpenedLoad describe(const LoadCounts& counts, const Instruction& found, const BodyRuns& body) {
  OpenedLoad load;
  load.block = counts.place.block;
  load.number = counts.place.number;
  const double all = double(counts.accesses);
  load.accesses = double(body.visits.lookup(counts.place.block)) / double(body.packets);
  load.level2 = double(counts.level2) / all;
  load.level3 = double(counts.level3) / all;
  load.memory = double(counts.memory) / all;
  load.walks = double(counts.walks) / all;
  load.function = source_name(*found.getFunction()).str();
  load.at = location_of(found).str();
  return load;
}

} // namespace

std::vector<OpenedLoad> choose_expensive_loads(const Program& program, const Trace& trace, double in_flight,
                                               const MemoryModel& model) {
  constexpr double least_stall = 5; // cycles: less is noise
  const BlockTable blocks(*program.module);
  Recurrences recurrences;
  std::map<std::pair<BlockId, uint32_t>, OpenedLoad> chosen;
  for (const BodyRuns& body : count_runs(program, trace, blocks)) {
    std::vector<OpenedLoad> loads;
    std::vector<LoadCost> costs;
    for (const LoadCounts& counts : trace.loads) {
      if (counts.place.block >= blocks.size() || !body.visits.contains(counts.place.block)) continue;
      const BasicBlock& block = *blocks.block(counts.place.block);
      const auto reads = reads_of(block);
      if (counts.place.number >= reads.size() || is_named(reads[counts.place.number])) continue;
      OpenedLoad load = describe(counts, *reads[counts.place.number].by, body);
      describe_loop(load, *reads[counts.place.number].by, blocks, recurrences, model);
      const LoadCost cost = cost_of(load, model);
      if (cost.stall < least_stall && cost.chain == 0) continue;
      loads.push_back(std::move(load));
      costs.push_back(cost);
    }
    const auto hidden = choose_hidden(body.instructions, costs, in_flight, model);
    for (size_t i = 0; i != loads.size(); ++i)
      if (hidden[i].hidden) chosen.insert({{loads[i].block, loads[i].number}, loads[i]});
  }
  std::vector<OpenedLoad> result;
  for (auto& [place, load] : chosen)
    result.push_back(std::move(load));
  return result;
}

std::vector<double> waits_elsewhere(const Program& program, const Trace& trace, ArrayRef<OpenedLoad> chosen,
                                    const MemoryModel& model) {
  std::set<std::pair<BlockId, uint32_t>> left_out;
  for (const OpenedLoad& load : chosen)
    left_out.insert({load.block, load.number});
  const BlockTable blocks(*program.module);
  std::vector<double> waits;
  for (const BodyRuns& body : count_runs(program, trace, blocks)) {
    double& sum = waits.emplace_back();
    for (const LoadCounts& counts : trace.loads) {
      if (counts.accesses == 0 || left_out.contains({counts.place.block, counts.place.number})) continue;
      const auto ran = body.visits.find(counts.place.block);
      if (ran == body.visits.end()) continue;
      const auto all = double(counts.accesses);
      sum += double(ran->second) / double(body.packets) *
             (double(counts.level2) / all * model.level2 + double(counts.level3) / all * model.level3 +
              double(counts.memory) / all * model.memory + double(counts.walks) / all * model.walk);
    }
  }
  return waits;
}

} // namespace heddle

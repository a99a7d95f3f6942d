#include "plan/expensive_loads.h"

#include "program/address_chain.h"
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
  double ticks_in_calls = 0; // of functions outside of the program
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
  for (BodyRuns& body : runs) {
    const auto packets = double(std::max<uint64_t>(1, body.packets));
    body.instructions /= packets;
    for (const CallTime& call : trace.calls)
      body.ticks_in_calls += double(call.ticks) * double(body.visits.lookup(call.block)) / packets;
  }
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

double in_calls(const BodyRuns& body, const MemoryModel& model) {
  return body.ticks_in_calls * model.cycles_per_tick * model.per_cycle;
}

struct Candidate {
  OpenedLoad load;
  LoadCost cost;
};

// All loads of a body that packets wait for and that the source does not name, with what each has to wait for.
std::vector<Candidate> candidates_of(const BodyRuns& body, const Trace& trace, const BlockTable& blocks,
                                     const MemoryModel& model) {
  std::vector<Candidate> found;
  std::vector<MemoryRead> reads;
  Recurrences recurrences;
  for (const LoadCounts& counts : trace.loads) {
    if (counts.accesses == 0 || counts.place.block >= blocks.size()) continue;
    if (!body.visits.contains(counts.place.block)) continue;
    const auto here = reads_of(*blocks.block(counts.place.block));
    if (counts.place.number >= here.size() || is_named(here[counts.place.number])) continue;
    const MemoryRead& read = here[counts.place.number];
    OpenedLoad load = describe(counts, *read.by, body);
    describe_loop(load, *read.by, blocks, recurrences, model);
    LoadCost cost = cost_of(load, model);
    if (cost.stall == 0 && cost.chain == 0) continue;
    found.push_back({std::move(load), cost});
    reads.push_back(read);
  }
  const std::vector<AddressChain> chains = address_chains(reads);
  for (size_t i = 0; i != found.size(); ++i) {
    OpenedLoad& load = found[i].load;
    load.behind = chains[i].behind;
    load.follows_itself = chains[i].follows_itself || load.chain > 0;
    found[i].cost = cost_of(load, model);
  }
  return found;
}

} // namespace

std::vector<OpenedLoad> choose_expensive_loads(const Program& program, const Trace& trace, double in_flight,
                                               const MemoryModel& model) {
  const BlockTable blocks(*program.module);
  std::map<std::pair<BlockId, uint32_t>, OpenedLoad> chosen;
  for (const BodyRuns& body : count_runs(program, trace, blocks)) {
    std::vector<Candidate> candidates = candidates_of(body, trace, blocks, model);
    erase_if(candidates,
             [](const Candidate& it) { return it.cost.stall < least_stall && it.cost.chain == 0; });
    std::vector<LoadCost> costs;
    for (const Candidate& candidate : candidates)
      costs.push_back(candidate.cost);
    const double instructions = body.instructions + in_calls(body, model);
    const auto hidden = choose_hidden(instructions, costs, in_flight, model);
    for (size_t i = 0; i != candidates.size(); ++i) {
      const OpenedLoad& load = candidates[i].load;
      const bool in_lanes = any_of(zip(candidates, hidden), [&](const auto& pair) {
        const auto& [other, how] = pair;
        return load.loop != 0 && other.load.loop == load.loop && how.lanes != 0;
      });
      // Those of a loop in lanes are weighed again once it is open: there may be none, and then each of them waits.
      if (hidden[i].hidden || (in_lanes && candidates[i].cost.stall >= least_stall))
        chosen.insert({{load.block, load.number}, load});
    }
  }
  std::vector<OpenedLoad> result;
  for (auto& [place, load] : chosen)
    result.push_back(std::move(load));
  return result;
}

std::vector<std::vector<LoadCost>> waits_elsewhere(const Program& program, const Trace& trace,
                                                   ArrayRef<OpenedLoad> chosen, const MemoryModel& model) {
  std::set<std::pair<BlockId, uint32_t>> left_out;
  for (const OpenedLoad& load : chosen)
    left_out.insert({load.block, load.number});
  const BlockTable blocks(*program.module);
  std::vector<std::vector<LoadCost>> waits;
  for (const BodyRuns& body : count_runs(program, trace, blocks)) {
    std::vector<LoadCost>& here = waits.emplace_back();
    for (auto& [load, cost] : candidates_of(body, trace, blocks, model)) {
      if (left_out.contains({load.block, load.number})) continue;
      // Nobody makes lanes of it.
      cost.chain = 0;
      cost.loop = 0;
      here.push_back(cost);
    }
  }
  return waits;
}

std::vector<double> instructions_in_calls(const Program& program, const Trace& trace,
                                          const MemoryModel& model) {
  std::vector<double> instructions;
  for (const BodyRuns& body : count_runs(program, trace, BlockTable(*program.module)))
    instructions.push_back(in_calls(body, model));
  return instructions;
}

} // namespace heddle

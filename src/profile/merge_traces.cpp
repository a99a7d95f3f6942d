// Problem. A profile is a sample: 20,000 packets, whether the run had a million or a billion. So two profiles cannot be put one behind the other:
// each packet of the result has to stand for as many.
//
// Alternatives. To keep all packets, each with a weight, would have every reader of profiles (footprints, cache simulation, search, the dependency
// graph) weigh them. To draw packets at random would tear batches apart, and what a batch shares is what the planner asks for.
//
// Choice. Thin the samples that have more packets than their weight is worth, by whole batches, evenly spread; a sample of n packets
// and weight w keeps w * min(n / w over all). No sample is left out: even of the lightest one batch stays, since code that no packet ran is taken for rare.
// How often a load finds its line where is a ratio of counts, so it is weighed by how often the packets that are taken run it.
#include "profile/merge_traces.h"

#include "profile/weights.h"
#include "program/program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle {

namespace {

constexpr size_t most_functions = 10;
constexpr double least_spread = 0.5; // instructions per packet: less is no difference worth a line

using Batch = std::pair<uint32_t, uint32_t>; // body, number

// Which batches stay, so that about `share` of the packets do.
std::map<Batch, bool> choose_batches(const Trace& trace, double share) {
  std::vector<Batch> order;
  std::map<Batch, uint64_t> sizes;
  for (const TracedPacket& packet : trace.packets)
    if (sizes[{packet.body, packet.batch}]++ == 0) order.push_back({packet.body, packet.batch});
  std::map<Batch, bool> stays;
  double passed = 0, taken = 0;
  for (const Batch& batch : order) {
    const auto size = double(sizes[batch]);
    const bool take = taken == 0 || taken + size / 2 <= (passed + size) * share;
    stays[batch] = take;
    passed += size;
    if (take) taken += size;
  }
  return stays;
}

// Appends what stays of `from`; returns its visits per block.
llvm::DenseMap<BlockId, uint64_t> append(const Trace& from, double share, Trace& to) {
  const std::map<Batch, bool> stays = choose_batches(from, share);
  uint32_t first = 0; // number of its batches
  for (const TracedPacket& packet : to.packets)
    first = std::max(first, packet.batch + 1);
  llvm::DenseMap<BlockId, uint64_t> visits;
  for (const TracedPacket& packet : from.packets) {
    if (!stays.at({packet.body, packet.batch})) continue;
    const llvm::ArrayRef<BlockId> blocks = from.blocks(packet);
    for (BlockId block : blocks)
      ++visits[block];
    to.packets.push_back(
        {packet.body, first + packet.batch, to.events.size(), to.events.size() + blocks.size()});
    to.events.insert(to.events.end(), blocks.begin(), blocks.end());
  }
  to.packets_seen += from.packets_seen;
  to.packets_dropped += from.packets_dropped;
  return visits;
}

using Loads = std::map<std::pair<BlockId, uint32_t>, LoadCounts>;

void add_loads(const Trace& from, const llvm::DenseMap<BlockId, uint64_t>& visits, Loads& sum) {
  constexpr double scale = 1000; // counts are whole numbers
  for (const LoadCounts& load : from.loads) {
    const uint64_t times = visits.lookup(load.place.block);
    if (times == 0 || load.accesses == 0) continue;
    LoadCounts& counts = sum[{load.place.block, load.place.number}];
    counts.place = load.place;
    for (auto field : {&LoadCounts::accesses, &LoadCounts::level2, &LoadCounts::level3, &LoadCounts::memory,
                       &LoadCounts::walks})
      counts.*field +=
          uint64_t(std::llround(scale * double(times) * double(load.*field) / double(load.accesses)));
  }
}

using Calls = std::map<std::pair<BlockId, uint32_t>, CallTime>;

// What a call takes is the mean of the profiles' times, by how often they made it.
void add_calls(const Trace& from, Calls& sum) {
  for (const CallTime& call : from.calls) {
    CallTime& time = sum[{call.block, call.number}];
    std::tie(time.block, time.number) = std::tie(call.block, call.number);
    const double ticks = double(time.calls) * double(time.ticks) + double(call.calls) * double(call.ticks);
    time.calls += call.calls;
    time.ticks = uint64_t(std::llround(ticks / double(std::max<uint64_t>(1, time.calls))));
  }
}

double instructions_of(const std::vector<BlockWeight>& weights) {
  double sum = 0;
  for (const BlockWeight& weight : weights)
    sum += weight.heat;
  return sum;
}

double distance(const std::vector<BlockWeight>& a, const std::vector<BlockWeight>& b) {
  const double all_a = instructions_of(a), all_b = instructions_of(b);
  if (all_a == 0 || all_b == 0) return all_a == all_b ? 0 : 1;
  double sum = 0;
  for (size_t block = 0; block != a.size(); ++block)
    sum += std::abs(a[block].heat / all_a - b[block].heat / all_b);
  return sum / 2;
}

std::map<const llvm::Function*, double> heat_of_functions(const std::vector<BlockWeight>& weights,
                                                          const BlockTable& blocks) {
  std::map<const llvm::Function*, double> heats;
  for (BlockId block = 0; block < weights.size() && block < blocks.size(); ++block)
    if (weights[block].heat > 0) heats[blocks.block(block)->getParent()] += weights[block].heat;
  return heats;
}

} // namespace

double DifferingFunction::spread() const {
  const auto [low, high] = std::minmax_element(heats.begin(), heats.end());
  return heats.empty() ? 0 : *high - *low;
}

Merged merge_traces(const std::vector<TraceToMerge>& inputs, const Program& program,
                    const FootprintMap& footprint) {
  double weights = 0, each = HUGE_VAL; // packets of the result per weight
  for (const TraceToMerge& input : inputs) {
    weights += input.weight;
    each = std::min(each, double(input.trace.packets.size()) / input.weight);
  }
  Merged merged;
  merged.trace.program = program.id;
  Loads loads;
  Calls calls;
  for (const TraceToMerge& input : inputs) {
    const auto sampled = double(input.trace.packets.size());
    const size_t before = merged.trace.packets.size();
    const auto visits =
        append(input.trace, std::min(1.0, input.weight * each / std::max(1.0, sampled)), merged.trace);
    add_loads(input.trace, visits, loads);
    add_calls(input.trace, calls);
    merged.inputs.push_back({input.name, input.weight / weights, input.trace.packets_seen,
                             input.trace.packets.size(), merged.trace.packets.size() - before});
  }
  for (const auto& [place, counts] : loads)
    merged.trace.loads.push_back(counts);
  for (const auto& [place, time] : calls)
    merged.trace.calls.push_back(time);

  const BlockTable blocks(*program.module);
  const std::vector<BlockWeight> all = weigh_blocks(merged.trace, footprint);
  std::map<const llvm::Function*, DifferingFunction> functions;
  for (const auto& [function, heat] : heat_of_functions(all, blocks))
    functions[function].merged = heat;
  for (size_t i = 0; i != inputs.size(); ++i) {
    const std::vector<BlockWeight> own = weigh_blocks(inputs[i].trace, footprint);
    merged.inputs[i].instructions = instructions_of(own);
    merged.inputs[i].distance = distance(own, all);
    for (const auto& [function, heat] : heat_of_functions(own, blocks)) {
      functions[function].heats.resize(inputs.size());
      functions[function].heats[i] = heat;
    }
  }
  for (auto& [function, differing] : functions) {
    differing.name = function->getName().str();
    differing.heats.resize(inputs.size());
    if (differing.spread() >= least_spread) merged.functions.push_back(std::move(differing));
  }
  llvm::sort(merged.functions, [](const DifferingFunction& a, const DifferingFunction& b) {
    return std::tuple(-a.spread(), a.name) < std::tuple(-b.spread(), b.name);
  });
  merged.functions.resize(std::min(merged.functions.size(), most_functions));
  return merged;
}

void print_merged(const Merged& merged, llvm::raw_ostream& out) {
  out << llvm::formatv("{0,8} {1,14} {2,10} {3,10} {4,20} {5,10}\n", "weight", "packets seen", "sampled",
                       "taken", "instructions/packet", "distance");
  for (const MergedTrace& input : merged.inputs)
    out << llvm::formatv("{0,7:f1}% {1,14} {2,10} {3,10} {4,20:f0} {5,10:f3}  {6}\n", 100 * input.weight,
                         input.packets_seen, input.sampled, input.taken, input.instructions, input.distance,
                         input.name);
  if (merged.functions.empty()) return;
  out << "\nfunctions that differ most, in instructions per packet: each profile's, and the merged one's\n";
  for (const DifferingFunction& function : merged.functions) {
    for (double heat : function.heats)
      out << llvm::formatv("{0,10:f1}", heat);
    out << llvm::formatv("{0,12:f1}  {1}\n", function.merged, function.name);
  }
}

void write_merged(const Merged& merged, llvm::json::OStream& json) {
  json.attribute("program", merged.trace.program);
  json.attribute("packets", merged.trace.packets.size());
  json.attribute("packets_seen", merged.trace.packets_seen);
  json.attributeArray("inputs", [&] {
    for (const MergedTrace& input : merged.inputs)
      json.object([&] {
        json.attribute("file", llvm::json::fixUTF8(input.name));
        json.attribute("weight", input.weight);
        json.attribute("packets_seen", input.packets_seen);
        json.attribute("sampled", input.sampled);
        json.attribute("taken", input.taken);
        json.attribute("instructions_per_packet", input.instructions);
        json.attribute("distance", input.distance);
      });
  });
  json.attributeArray("functions", [&] {
    for (const DifferingFunction& function : merged.functions)
      json.object([&] {
        json.attribute("name", llvm::json::fixUTF8(function.name));
        json.attribute("merged", function.merged);
        json.attributeArray("heats", [&] {
          for (double heat : function.heats)
            json.value(heat);
        });
      });
  });
}

} // namespace heddle

#include "profile/summary.h"

#include "program/program.h"

#include "profile/weights.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle {

namespace {

constexpr unsigned line_size = 64;

// Calls `each(line)` for the lines of a block.
template <typename Each> void for_lines(const BlockFootprint& block, Each each) {
  for (const MachineRange& range : block.ranges)
    for (uint64_t line = range.address / line_size; line * line_size < range.address + range.bytes; ++line)
      each(line);
}

// Paths, and means per packet.
void count_paths(const Trace& trace, const FootprintMap& footprint, BodySummary& out) {
  llvm::DenseSet<uint64_t> paths, sample_lines, lines, seen;
  std::set<uint32_t> batches;
  double instructions = 0, blocks = 0, packet_lines = 0;
  for (const TracedPacket& packet : trace.packets) {
    llvm::ArrayRef<BlockId> path = trace.blocks(packet);
    paths.insert(uint64_t(llvm::hash_combine_range(path.begin(), path.end())) >> 1);
    batches.insert(packet.batch);
    uint64_t executed = 0;
    lines.clear();
    seen.clear();
    for (BlockId block : path) {
      if (block >= footprint.size()) continue;
      executed += footprint[block].instructions();
      if (seen.insert(block).second) for_lines(footprint[block], [&](uint64_t line) { lines.insert(line); });
    }
    sample_lines.insert(lines.begin(), lines.end());
    instructions += double(executed);
    blocks += double(path.size());
    packet_lines += double(lines.size());
    out.most_instructions = std::max(out.most_instructions, executed);
  }
  double n = double(std::max<size_t>(trace.packets.size(), 1));
  out.packets = trace.packets.size();
  out.batches = batches.size();
  out.distinct_paths = paths.size();
  out.instructions = instructions / n;
  out.blocks = blocks / n;
  out.lines = packet_lines / n;
  out.sample_lines = uint32_t(sample_lines.size());
}

std::string where(const llvm::BasicBlock& block) {
  for (const llvm::Instruction& instruction : block)
    if (instruction.getDebugLoc()) return location_of(instruction).str();
  return {};
}

void rank(const Trace& trace, const FootprintMap& footprint, const BlockTable& table, unsigned top,
          BodySummary& out) {
  std::vector<BlockWeight> weights = weigh_blocks(trace, footprint, line_size);
  std::map<const llvm::Function*, FunctionHeat> functions;
  std::map<const llvm::Function*, llvm::DenseSet<uint64_t>> lines;
  std::vector<BlockId> ran;
  for (BlockId block = 0; block < weights.size() && block < table.size(); ++block) {
    if (!weights[block].visits) continue;
    ran.push_back(block);
    const llvm::Function* function = table.block(block)->getParent();
    FunctionHeat& heat = functions[function];
    heat.name = function->getName().str();
    heat.heat += weights[block].heat;
    if (table.block(block)->isEntryBlock()) heat.visits = weights[block].visits;
    for_lines(footprint[block], [&](uint64_t line) { lines[function].insert(line); });
  }
  for (auto& [function, heat] : functions) {
    heat.lines = uint32_t(lines[function].size());
    out.functions.push_back(heat);
  }
  llvm::sort(out.functions, [](const FunctionHeat& a, const FunctionHeat& b) {
    return std::tuple(-a.heat, a.name) < std::tuple(-b.heat, b.name);
  });
  out.functions.resize(std::min<size_t>(out.functions.size(), top));

  llvm::sort(ran, [&](BlockId a, BlockId b) {
    return std::tuple(-weights[a].heat, a) < std::tuple(-weights[b].heat, b);
  });
  ran.resize(std::min<size_t>(ran.size(), top));
  for (BlockId block : ran) {
    const llvm::BasicBlock& b = *table.block(block);
    out.hottest.push_back({block, b.getParent()->getName().str(), where(b), weights[block].heat,
                           weights[block].cost, weights[block].visits});
  }
}

std::string rounded(double value, unsigned digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", int(digits), value);
  return text;
}

void print_body(const BodySummary& body, llvm::raw_ostream& out) {
  out << "body " << body.body << (body.function.empty() ? "" : " in " + body.function) << ": " << body.packets
      << " packets in " << body.batches << " batches, " << body.distinct_paths << " distinct paths\n"
      << "  per packet: " << rounded(body.instructions, 0) << " instructions (most " << body.most_instructions
      << "), " << rounded(body.blocks, 0) << " blocks, " << rounded(body.lines, 0) << " lines ("
      << rounded(body.lines * line_size / 1024, 1) << " KiB)\n"
      << "  whole sample: " << body.sample_lines << " lines ("
      << rounded(double(body.sample_lines) * line_size / 1024, 1) << " KiB)\n";
  for (const auto& [cache, result] : body.caches)
    out << "  instruction cache " << llvm::left_justify(cache.str(), 7) << " "
        << llvm::right_justify(rounded(result.mpki(), 2), 7)
        << " misses per thousand instructions (simulated, original order)\n";
  out << "\n  instructions/packet   lines       calls  function\n";
  for (const FunctionHeat& f : body.functions)
    out << llvm::format("  %19.1f %7u %11llu  ", f.heat, f.lines, (unsigned long long)f.visits) << f.name
        << '\n';
  out << "\n  instructions/packet   lines      visits  block\n";
  for (const BlockHeat& b : body.hottest)
    out << llvm::format("  %19.1f %7.0f %11llu  %u ", b.heat, b.cost, (unsigned long long)b.visits, b.block)
        << b.function << (b.where.empty() ? "" : " at " + b.where) << '\n';
}

} // namespace

ProfileSummary summarize(Trace trace, const Program& program, const FootprintMap& footprint,
                         llvm::ArrayRef<CacheGeometry> geometries, unsigned top) {
  ProfileSummary summary;
  summary.program = trace.program;
  summary.packets_seen = trace.packets_seen;
  summary.packets_dropped = trace.packets_dropped;
  BlockTable table(*program.module);
  std::set<uint32_t> bodies;
  for (const TracedPacket& packet : trace.packets)
    bodies.insert(packet.body);
  const std::vector<TracedPacket> packets = trace.packets;
  for (uint32_t number : bodies) {
    trace.packets = packets;
    trace.keep_body(number);
    BodySummary body;
    body.body = number;
    for (const PacketBody& known : program.bodies)
      if (known.number == number) body.function = known.function;
    count_paths(trace, footprint, body);
    rank(trace, footprint, table, top, body);
    for (const CacheGeometry& geometry : geometries)
      body.caches.emplace_back(geometry, simulate_original(trace, footprint, geometry));
    summary.bodies.push_back(std::move(body));
  }
  return summary;
}

void print_summary(const ProfileSummary& summary, llvm::raw_ostream& out) {
  out << "profile of program " << llvm::StringRef(summary.program).take_front(16) << ": "
      << summary.packets_seen << " packets seen, " << summary.packets_dropped << " dropped from the sample\n";
  for (const BodySummary& body : summary.bodies) {
    out << '\n';
    print_body(body, out);
  }
}

} // namespace heddle

// Instruction-cache simulation.
//
// The problem: given the blocks that each packet ran and where their machine code lies, count the misses that
// the level-1 instruction cache would take, for the order in which the program ran and for the order in which
// a plan would run it. A real counter is often not there (virtual machines), cannot be asked about a geometry
// other than the host's, and cannot see a program that has not been built yet.
//
// Alternatives: reuse distances (one pass for all sizes, but for fully associative caches only, and code is
// what suffers from conflicts between sets); Cachegrind on the rebuilt program for every candidate plan
// (exact, some fifty times slower than the program, and needs the build). The choice: a direct simulation of
// sets and ways with true LRU, as Cachegrind does, fed with blocks. A block is turned once into its list of
// cache lines; a packet is then a walk over lists.
//
// Why it is sound as a stand-in for Cachegrind: both see the same sequence of line addresses. Differences are
// that a block counts as run to its end (a call is always the last of its block, so only exceptions and
// branches that the code generator put inside a block differ), and that code without bitcode (libc, native
// objects) is not seen here. tests/unit/profile/cachegrind_agreement_test.cpp holds the two together.
//
// A set is a short array of tags, most recent first: a hit at the front, by far the most frequent case, costs
// one comparison. Two accesses to one line in a row are one access, whatever the blocks they come from.
//
// NanoPL, section 7 (I-cache misses per thousand instructions) and 5.2 (stages that fit).
#include "profile/icache.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr uint64_t empty_way = ~uint64_t{0};

class Cache {
public:
  explicit Cache(const CacheGeometry& geometry)
      : ways_(geometry.ways), sets_(geometry.bytes / geometry.ways / geometry.line),
        tags_(size_t(ways_) * sets_, empty_way) {}

  // True for a miss. Lines are addresses divided by the line size.
  bool access(uint64_t line) {
    uint64_t* set = &tags_[(line % sets_) * ways_];
    if (set[0] == line) return false;
    unsigned way = 1;
    while (way < ways_ && set[way] != line)
      ++way;
    bool miss = way == ways_;
    if (miss) --way;
    std::copy_backward(set, set + way, set + way + 1);
    set[0] = line;
    return miss;
  }

private:
  unsigned ways_;
  uint64_t sets_;
  std::vector<uint64_t> tags_;
};

// For every block its lines in address order, neighbours collapsed, in one array.
class BlockLines {
public:
  BlockLines(const FootprintMap& footprint, unsigned line_size) {
    begin_.reserve(footprint.size() + 1);
    instructions_.reserve(footprint.size());
    for (const BlockFootprint& block : footprint) {
      begin_.push_back(uint32_t(lines_.size()));
      instructions_.push_back(block.instructions());
      for (const MachineRange& range : block.ranges) {
        if (range.bytes == 0) continue;
        uint64_t last = (range.address + range.bytes - 1) / line_size;
        for (uint64_t line = range.address / line_size; line <= last; ++line)
          if (lines_.size() == begin_.back() || lines_.back() != line) lines_.push_back(line);
      }
    }
    begin_.push_back(uint32_t(lines_.size()));
  }

  llvm::ArrayRef<uint64_t> lines(BlockId block) const {
    return llvm::ArrayRef<uint64_t>(lines_.data() + begin_[block], lines_.data() + begin_[block + 1]);
  }
  uint32_t instructions(BlockId block) const { return instructions_[block]; }
  size_t size() const { return instructions_.size(); }

private:
  std::vector<uint32_t> begin_, instructions_;
  std::vector<uint64_t> lines_;
};

class Simulation {
public:
  Simulation(const FootprintMap& footprint, const CacheGeometry& geometry)
      : code_(footprint, geometry.line), cache_(geometry) {}

  void run(llvm::ArrayRef<BlockId> blocks) {
    for (BlockId block : blocks) {
      if (block >= code_.size()) continue; // a block the footprint build does not know runs no code
      result_.instructions += code_.instructions(block);
      for (uint64_t line : code_.lines(block)) {
        if (line == last_) continue;
        last_ = line;
        ++result_.line_accesses;
        result_.misses += cache_.access(line);
      }
    }
  }

  const CacheResult& result() const { return result_; }

private:
  BlockLines code_;
  Cache cache_;
  CacheResult result_;
  uint64_t last_ = empty_way;
};

// The part of each packet of a batch that one stage runs.
struct Piece {
  unsigned stage;
  unsigned packet; // its place in the batch
  llvm::ArrayRef<BlockId> blocks;
};

// Runs one batch stage by stage, the packets of a stage in order, as the runtime does.
void run_batch(Simulation& simulation, std::vector<Piece>& pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::pair(a.stage, a.packet) < std::pair(b.stage, b.packet);
  });
  for (const Piece& piece : pieces)
    simulation.run(piece.blocks);
  pieces.clear();
}

} // namespace

CacheResult simulate_original(const Trace& trace, const FootprintMap& footprint, const CacheGeometry& cache) {
  Simulation simulation(footprint, cache);
  for (const TracedPacket& packet : trace.packets)
    simulation.run(trace.blocks(packet));
  return simulation.result();
}

CacheResult simulate_staged(const Trace& trace, const FootprintMap& footprint, const CacheGeometry& cache,
                            unsigned batch, Segmenter segment) {
  Simulation simulation(footprint, cache);
  std::vector<Piece> pieces;
  std::vector<std::pair<unsigned, uint64_t>> stages;
  unsigned in_flight = 0;
  const TracedPacket* previous = nullptr;
  for (const TracedPacket& packet : trace.packets) {
    bool same_receive = previous && previous->batch == packet.batch && previous->body == packet.body;
    if (!same_receive || in_flight >= std::max(batch, 1u)) {
      run_batch(simulation, pieces);
      in_flight = 0;
    }
    previous = &packet;
    ++in_flight;

    llvm::ArrayRef<BlockId> blocks = trace.blocks(packet);
    stages.clear();
    segment(packet, stages);
    unsigned stage = 0;
    uint64_t from = 0;
    for (auto [next_stage, index] : stages) {
      index = std::clamp<uint64_t>(index, from, blocks.size());
      pieces.push_back({stage, in_flight, blocks.slice(from, index - from)});
      stage = next_stage;
      from = index;
    }
    pieces.push_back({stage, in_flight, blocks.drop_front(from)});
  }
  run_batch(simulation, pieces);
  return simulation.result();
}

} // namespace heddle

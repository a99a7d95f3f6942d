#include "plan/simulate.h"

#include "plan/sites.h"
#include "plan/weigh.h"
#include "support/progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

llvm::Expected<std::vector<SimulatedMisses>>
simulate(const Trace& trace, const Study& study, const Plan& plan, llvm::ArrayRef<CacheGeometry> caches) {
  std::vector<GraphWalker> walkers;
  std::vector<std::vector<unsigned>> stages; // per body, per node
  for (size_t b = 0; b != study.graphs.size(); ++b) {
    walkers.emplace_back(study.graphs[b]);
    auto of_nodes = stages_of(study.graphs[b], plan.bodies[b].sites, plan.bodies[b].loads);
    if (!of_nodes) return of_nodes.takeError();
    stages.push_back(std::move(*of_nodes));
  }
  // Where the stages of each packet begin: found once for all caches.
  using Begins = std::vector<std::pair<unsigned, uint64_t>>;
  std::vector<Begins> of_packets;
  for (const TracedPacket& packet : trace.packets) {
    Begins& begins = of_packets.emplace_back();
    if (packet.body >= walkers.size()) continue;
    unsigned reached = 0;
    walkers[packet.body].walk(
        trace.blocks(packet),
        [&](uint64_t event, uint32_t node, uint32_t) {
          unsigned stage = stages[packet.body][node];
          if (stage <= reached) return;
          reached = stage;
          begins.push_back({stage, event});
        },
        [](uint64_t, uint32_t) {});
  }
  auto segment = [&](const TracedPacket& packet, Begins& begins) {
    begins = of_packets[size_t(&packet - trace.packets.data())];
  };
  std::vector<SimulatedMisses> result;
  for (const CacheGeometry& cache : caches) {
    progress_at({"simulating a cache of " + cache.str(), double(result.size()), double(caches.size())});
    result.push_back({cache.str(), simulate_original(trace, study.footprint, cache),
                      simulate_staged(trace, study.footprint, cache, plan.batch, segment)});
  }
  return std::move(result);
}

void print_misses(llvm::ArrayRef<SimulatedMisses> misses, llvm::raw_ostream& out) {
  out << "\nsimulated instruction-cache misses per thousand instructions\n";
  for (const SimulatedMisses& cache : misses)
    out << llvm::format("  %-8s  as written %7.2f   staged %7.2f   (%+.0f %%)\n", cache.cache.c_str(),
                        cache.original.mpki(), cache.staged.mpki(),
                        cache.original.misses ? 100.0 * (cache.staged.mpki() / cache.original.mpki() - 1)
                                              : 0.0);
}

} // namespace heddle

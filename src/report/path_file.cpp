#include "report/path_file.h"

#include "plan/sites.h"
#include "plan/weigh.h"
#include "support/file.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <tuple>

namespace heddle {

namespace {

// By node: the mean, over its visits, of the part of the packet's instructions that ran before it.
std::vector<double> times_of(const Trace& trace, uint32_t body, const CutGraph& graph,
                             const FootprintMap& footprint) {
  std::vector<double> sums(graph.nodes.size());
  std::vector<uint32_t> instructions;
  for (const BlockFootprint& block : footprint)
    instructions.push_back(block.instructions());
  const GraphWalker walker(graph);
  for (const TracedPacket& packet : trace.packets) {
    if (packet.body != body) continue;
    const llvm::ArrayRef<BlockId> blocks = trace.blocks(packet);
    uint64_t total = 0, before = 0;
    for (BlockId block : blocks)
      total += instructions[block];
    auto run = [&](uint64_t event) { before += instructions[blocks[event]]; };
    walker.walk(
        blocks,
        [&](uint64_t event, uint32_t node, uint32_t) {
          if (total) sums[node] += double(before) / double(total);
          run(event);
        },
        [&](uint64_t event, uint32_t) { run(event); });
  }
  for (size_t n = 0; n != sums.size(); ++n)
    if (graph.nodes[n].visits) sums[n] /= double(graph.nodes[n].visits);
  return sums;
}

std::map<uint32_t, uint64_t> batches_of(const Trace& trace, uint32_t body) {
  llvm::DenseMap<uint32_t, uint32_t> packets;
  for (const TracedPacket& packet : trace.packets)
    if (packet.body == body) ++packets[packet.batch];
  std::map<uint32_t, uint64_t> histogram;
  for (const auto& [batch, count] : packets)
    ++histogram[count];
  return histogram;
}

void write_misses(llvm::json::OStream& json, const CacheGeometry& cache, const SimulatedMisses& misses) {
  json.object([&] {
    json.attribute("cache", misses.cache);
    json.attribute("bytes", cache.bytes);
    json.attribute("ways", cache.ways);
    json.attribute("instructions", misses.original.instructions);
    json.attribute("original", misses.original.misses);
    json.attribute("staged", misses.staged.misses);
  });
}

// Five decimals tell a block that one packet in 100,000 runs from none, and keep the file small.
double rounded(double value) {
  return std::round(value * 1e5) / 1e5;
}

void write_body(llvm::json::OStream& json, const BodyPath& body) {
  json.object([&] {
    json.attribute("body", body.body);
    json.attributeArray("batches", [&] {
      for (auto [packets, count] : body.batches)
        json.object([&] {
          json.attribute("packets", packets);
          json.attribute("batches", count);
        });
    });
    json.attributeArray("nodes", [&] {
      for (const PathNode& node : body.nodes)
        json.object([&] {
          json.attribute("node", node.node);
          json.attribute("context", node.context);
          json.attribute("block", node.block);
          json.attribute("stage", node.stage);
          json.attribute("visits", node.visits);
          json.attribute("instructions", rounded(node.instructions));
          json.attribute("lines", rounded(node.lines));
          json.attribute("when", rounded(node.when));
          json.attribute("function", llvm::json::fixUTF8(node.function));
          json.attribute("at", llvm::json::fixUTF8(node.at));
        });
    });
  });
}

} // namespace

llvm::Expected<std::vector<BodyPath>> packet_paths(const Trace& trace, const Study& study, const Plan& plan) {
  std::vector<BodyPath> paths;
  for (size_t b = 0; b != study.graphs.size(); ++b) {
    const CutGraph& graph = study.graphs[b];
    auto stages = stages_of(graph, plan.bodies[b].sites, plan.bodies[b].loads);
    if (!stages) return stages.takeError();
    const std::vector<double> when = times_of(trace, uint32_t(b), graph, study.footprint);
    BodyPath& path = paths.emplace_back();
    path.body = graph.body;
    path.batches = batches_of(trace, uint32_t(b));
    for (size_t n = 0; n != graph.nodes.size(); ++n) {
      const CutNode& node = graph.nodes[n];
      if (node.visits)
        path.nodes.push_back({uint32_t(n), node.context, node.block, (*stages)[n], node.visits, node.heat,
                              double(node.lines.size()), when[n], node.function, node.at});
    }
    llvm::sort(path.nodes, [](const PathNode& a, const PathNode& b) {
      return std::tie(a.stage, a.when, a.node) < std::tie(b.stage, b.when, b.node);
    });
  }
  return std::move(paths);
}

std::vector<CacheGeometry> curve_geometries() {
  std::vector<CacheGeometry> geometries;
  for (uint64_t kib = 16; kib <= 256; kib *= 2)
    geometries.push_back({kib * 1024, 8, 64});
  const CacheGeometry host = host_icache();
  if (llvm::none_of(geometries, [&](const CacheGeometry& known) { return known.str() == host.str(); }))
    geometries.push_back(host);
  return geometries;
}

llvm::Error write_path_file(const PathFile& file, llvm::StringRef path) {
  return write_file(path, [&](llvm::raw_ostream& out) {
    llvm::json::OStream json(out);
    json.object([&] {
      json.attribute("format", "heddle-path");
      json.attribute("version", 1);
      json.attribute("checked", file.plan.checked);
      json.attribute("host_icache", host_icache().str());
      json.attributeArray("misses", [&] {
        for (auto [cache, misses] : llvm::zip(file.geometries, file.misses))
          write_misses(json, cache, misses);
      });
      json.attributeArray("bodies", [&] {
        for (const BodyPath& body : file.bodies)
          write_body(json, body);
      });
      json.attributeObject("sources", [&] {
        for (const auto& [name, at] : file.sources)
          json.attribute(llvm::json::fixUTF8(name), llvm::json::fixUTF8(at));
      });
    });
    out << '\n';
  });
}

} // namespace heddle

#include "profile/summary.h"

#include "llvm/Support/JSON.h"

namespace heddle {

namespace {

void caches(llvm::json::OStream& json, const BodySummary& body) {
  json.attributeArray("icache", [&] {
    for (const auto& [cache, result] : body.caches)
      json.object([&] {
        json.attribute("geometry", cache.str());
        json.attribute("order", "original");
        json.attribute("simulated", true);
        json.attribute("instructions", result.instructions);
        json.attribute("line_accesses", result.line_accesses);
        json.attribute("misses", result.misses);
        json.attribute("mpki", result.mpki());
      });
  });
}

void hot_code(llvm::json::OStream& json, const BodySummary& body) {
  json.attributeArray("functions", [&] {
    for (const FunctionHeat& f : body.functions)
      json.object([&] {
        json.attribute("name", f.name);
        json.attribute("heat", f.heat);
        json.attribute("lines", f.lines);
        json.attribute("calls", f.visits);
      });
  });
  json.attributeArray("blocks", [&] {
    for (const BlockHeat& b : body.hottest)
      json.object([&] {
        json.attribute("block", b.block);
        json.attribute("function", b.function);
        json.attribute("where", b.where);
        json.attribute("heat", b.heat);
        json.attribute("cost", b.cost);
        json.attribute("visits", b.visits);
      });
  });
}

void body_object(llvm::json::OStream& json, const BodySummary& body) {
  json.object([&] {
    json.attribute("body", body.body);
    json.attribute("function", body.function);
    json.attribute("packets", body.packets);
    json.attribute("batches", body.batches);
    json.attribute("distinct_paths", body.distinct_paths);
    json.attribute("instructions_per_packet", body.instructions);
    json.attribute("most_instructions", body.most_instructions);
    json.attribute("blocks_per_packet", body.blocks);
    json.attribute("lines_per_packet", body.lines);
    json.attribute("lines_of_sample", body.sample_lines);
    caches(json, body);
    hot_code(json, body);
  });
}

} // namespace

void print_summary_json(const ProfileSummary& summary, llvm::raw_ostream& out) {
  llvm::json::OStream json(out, 2);
  json.object([&] {
    json.attribute("program", summary.program);
    json.attribute("packets_seen", summary.packets_seen);
    json.attribute("packets_dropped", summary.packets_dropped);
    json.attributeArray("bodies", [&] {
      for (const BodySummary& body : summary.bodies)
        body_object(json, body);
    });
  });
  out << '\n';
}

} // namespace heddle

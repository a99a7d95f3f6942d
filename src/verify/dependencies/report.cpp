#include "verify/dependencies/check.h"

#include "llvm/Support/Format.h"

#include <map>

using namespace llvm;

namespace heddle {

namespace {

constexpr size_t printed_pairs = 20;

void print_access(const char* which, const CheckedAccess& access, raw_ostream& out) {
  out << "    " << which << " packet " << access.packet;
  if (access.stage) out << ", stage " << *access.stage;
  out << ": " << (access.write ? "writes" : "reads");
  if (!access.place.at.empty()) out << " at " << access.place.at;
  out << " in " << access.place.function;
  if (!access.place.call.empty()) out << " (" << access.place.call << ")";
  out << '\n';
}

void print_pair(const ReversedPair& pair, raw_ostream& out) {
  out << "  " << pair.object << ": " << pair.count << (pair.count == 1 ? " time" : " times")
      << ", first in batch " << pair.batch << '\n';
  print_access("earlier", pair.earlier, out);
  print_access("later", pair.later, out);
}

void write_access(StringRef name, const CheckedAccess& access, json::OStream& json) {
  json.attributeObject(name, [&] {
    json.attribute("packet", access.packet);
    if (access.stage) json.attribute("stage", *access.stage);
    json.attribute("write", access.write);
    json.attribute("at", access.place.at);
    json.attribute("function", access.place.function);
    json.attribute("call", access.place.call);
  });
}

void write_pairs(StringRef name, ArrayRef<ReversedPair> pairs, json::OStream& json) {
  json.attributeArray(name, [&] {
    for (const ReversedPair& pair : pairs)
      json.object([&] {
        json.attribute("object", pair.object);
        json.attribute("count", pair.count);
        json.attribute("batch", pair.batch);
        if (!pair.relaxation.empty()) json.attribute("relaxation", pair.relaxation);
        write_access("earlier", pair.earlier, json);
        write_access("later", pair.later, json);
      });
  });
}

} // namespace

void print_dependencies(const DependencyResult& result, raw_ostream& out) {
  out << "dependencies: " << result.packets << " packets in " << result.batches << " batches, "
      << result.staged << " crossed a site, " << result.alone << " ran alone; " << result.accesses
      << " accesses, " << format("%.1f s\n", result.run_seconds);
  std::map<std::string, std::pair<size_t, uint64_t>> relaxed;
  for (const ReversedPair& pair : result.let_through) {
    ++relaxed[pair.relaxation].first;
    relaxed[pair.relaxation].second += pair.count;
  }
  for (const auto& [name, counts] : relaxed)
    out << "  fell inside " << name << ": " << counts.first << " pairs of places, " << counts.second
        << " times\n";
  if (!result.unseen.empty()) {
    out << "  not seen into:";
    for (size_t i = 0; i < result.unseen.size(); ++i)
      out << (i ? ", " : " ") << result.unseen[i].first << " (" << result.unseen[i].second << " calls)";
    out << '\n';
  }
  if (result.lost_records || result.lost_pairs)
    out << "  not compared for want of memory: " << result.lost_records << " accesses, " << result.lost_pairs
        << " pairs\n";
  if (result.violations.empty()) {
    out << (result.staged ? "order: no dependence is reversed\n"
                          : "order: nothing is staged, so nothing is reversed\n");
    return;
  }
  const size_t count = result.violations.size();
  out << "order: the plan reverses " << count << (count == 1 ? " pair of places\n" : " pairs of places\n");
  for (const ReversedPair& pair : ArrayRef(result.violations).take_front(printed_pairs))
    print_pair(pair, out);
  if (result.violations.size() > printed_pairs)
    out << "  ... and " << result.violations.size() - printed_pairs << " more\n";
}

void write_dependencies(const DependencyResult& result, json::OStream& json) {
  json.attribute("batch", result.batch);
  json.attribute("packets", result.packets);
  json.attribute("batches", result.batches);
  json.attribute("packets_staged", result.staged);
  json.attribute("packets_alone", result.alone);
  json.attribute("accesses", result.accesses);
  json.attribute("lost_records", result.lost_records);
  json.attribute("lost_pairs", result.lost_pairs);
  json.attribute("instructions_watched", uint64_t(result.instructions));
  json.attribute("exit_status", result.exit_status);
  json.attribute("build_seconds", result.build_seconds);
  json.attribute("seconds", result.run_seconds);
  json.attribute("cpu_seconds", result.cpu_seconds);
  json.attribute("peak_memory_kib", int64_t(result.peak_memory_kib));
  write_pairs("violations", result.violations, json);
  write_pairs("fell_inside", result.let_through, json);
  json.attributeArray("unseen", [&] {
    for (const auto& [name, calls] : result.unseen)
      json.object([&, &name = name, &calls = calls] {
        json.attribute("function", name);
        json.attribute("calls", calls);
      });
  });
}

} // namespace heddle

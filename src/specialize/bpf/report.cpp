#include "specialize/bpf/report.h"

#include "support/remark_json.h"

#include "llvm/Support/FormatVariadic.h"

namespace heddle {

namespace {

std::string verdict_of(const MapReport& map) {
  if (!map.left_alone.code.empty()) return map.left_alone.code;
  if (map.written_bytes == 0) return "read-only";
  return llvm::formatv("{0} of {1} bytes written", map.written_bytes, map.value_bytes);
}

void print_costs(const HostCosts& costs, llvm::raw_ostream& out) {
  out << llvm::formatv(
      "lookups, {0}: array {1:f1} ns, hash table {2:f1} ns (16 entries, keys of 4 bytes), trie {3:f1} ns (16 "
      "prefixes); hashed index {4:f1} ns, load {5:f1} ns, compare {6:f1} ns, not foreseen {7:f1} ns more\n",
      costs.measured ? "measured here" : "built-in figures", costs.array, costs.hash, costs.prefix,
      costs.hashed, costs.load, costs.compare, costs.surprise);
}

} // namespace

void print(const AnalysisReport& report, llvm::raw_ostream& out) {
  out << "program " << report.program << " (" << report.function << "), tag " << report.tag << ", "
      << report.instructions << " instructions\n";
  constexpr const char* row = "{0,-20} {1,-14} {2,8} {3,8} {4,5} {5,5} {6,8} {7,8} {8,8}  {9}\n";
  out << llvm::formatv(row, "map", "type", "entries", "most", "key", "value", "lookups", "updates", "deletes",
                       "verdict");
  for (const MapReport& map : report.maps)
    out << llvm::formatv(row, map.name, map.type, map.entries ? std::to_string(*map.entries) : "?",
                         map.most_entries, map.key_bytes, map.value_bytes, map.lookups, map.updates,
                         map.deletes, verdict_of(map));
  for (const MapReport& map : report.maps)
    if (const Remark& why = map.left_alone; !why.code.empty())
      out << why.code << ": " << map.name << (why.where.empty() ? "" : ", " + why.where) << ": " << why.what
          << "; hint: " << why.hint << '\n';
  if (report.costs) print_costs(*report.costs, out);
}

void print(const VersionReport& report, llvm::raw_ostream& out) {
  if (report.left)
    out << report.attached_to << ": left alone\n";
  else if (report.original && report.attached_to.empty())
    out << "no version: there is nothing to gain\n";
  else if (report.original)
    out << llvm::formatv(
        "{0}: the original, program {1}, for epoch {2}: there is nothing to gain, {3:f1} ms\n",
        report.attached_to, report.program, report.epoch, report.milliseconds);
  else if (report.attached_to.empty())
    out << llvm::formatv("version: {0} instructions instead of {1}, {2} checks, accepted by the verifier\n",
                         report.instructions, report.instructions_before, report.checks);
  else
    out << llvm::formatv("{0}: program {1} for epoch {2}, {3:f1} ms, {4} checks\n", report.attached_to,
                         report.program, report.epoch, report.milliseconds, report.checks);
  for (const Performed& p : report.performed)
    out << "  " << p.pass << ": " << p.table << (p.where.empty() ? "" : ", " + p.where) << ": " << p.what
        << '\n';
  for (const Remark& r : report.remarks)
    out << "  " << r.code << ": " << r.where << ": " << r.what << "; hint: " << r.hint << '\n';
  out.flush();
}

namespace {

void write_costs(const HostCosts& costs, llvm::json::OStream& attributes) {
  attributes.attribute("measured", costs.measured);
  attributes.attribute("array", costs.array);
  attributes.attribute("hash", costs.hash);
  attributes.attribute("hash_doubling", costs.hash_doubling);
  attributes.attribute("hash_byte", costs.hash_byte);
  attributes.attribute("prefix", costs.prefix);
  attributes.attribute("prefix_doubling", costs.prefix_doubling);
  attributes.attribute("hashed", costs.hashed);
  attributes.attribute("hashed_word", costs.hashed_word);
  attributes.attribute("load", costs.load);
  attributes.attribute("compare", costs.compare);
  attributes.attribute("surprise", costs.surprise);
}

} // namespace

void write(const AnalysisReport& report, llvm::json::OStream& attributes) {
  attributes.attribute("program", report.program);
  attributes.attribute("function", report.function);
  attributes.attribute("tag", report.tag);
  attributes.attribute("instructions", int64_t(report.instructions));
  attributes.attributeArray("maps", [&] {
    for (const MapReport& map : report.maps)
      attributes.object([&] {
        attributes.attribute("name", map.name);
        attributes.attribute("type", map.type);
        attributes.attribute("entries", map.entries ? llvm::json::Value(int64_t(*map.entries))
                                                    : llvm::json::Value(nullptr));
        attributes.attribute("most_entries", map.most_entries);
        attributes.attribute("key_bytes", map.key_bytes);
        attributes.attribute("value_bytes", map.value_bytes);
        attributes.attribute("lookups", int64_t(map.lookups));
        attributes.attribute("updates", int64_t(map.updates));
        attributes.attribute("deletes", int64_t(map.deletes));
        attributes.attribute("written_bytes", int64_t(map.written_bytes));
        if (!map.left_alone.code.empty()) attributes.attribute("left_alone", as_json(map.left_alone));
      });
  });
  if (report.costs) attributes.attributeObject("costs", [&] { write_costs(*report.costs, attributes); });
}

void write(const VersionReport& report, llvm::json::OStream& attributes) {
  attributes.attribute("original", report.original);
  attributes.attribute("left", report.left);
  attributes.attribute("instructions", int64_t(report.instructions));
  attributes.attribute("instructions_before", int64_t(report.instructions_before));
  attributes.attribute("verified", report.verified);
  attributes.attribute("verified_before", report.verified_before);
  attributes.attribute("checks", report.checks);
  attributes.attribute("milliseconds", report.milliseconds);
  attributes.attribute("processor_milliseconds", report.processor_milliseconds);
  attributes.attributeArray("phases", [&] {
    for (const PhaseReport& phase : report.phases)
      attributes.object([&] {
        attributes.attribute("name", phase.name);
        attributes.attribute("milliseconds", phase.milliseconds);
        attributes.attribute("processor_milliseconds", phase.processor_milliseconds);
      });
  });
  if (!report.attached_to.empty()) {
    attributes.attribute("attached_to", report.attached_to);
    attributes.attribute("program", report.program);
    attributes.attribute("epoch", int64_t(report.epoch));
  }
  attributes.attributeArray("performed", [&] {
    for (const Performed& p : report.performed)
      attributes.object([&] {
        attributes.attribute("pass", p.pass);
        attributes.attribute("table", p.table);
        attributes.attribute("where", p.where);
        attributes.attribute("what", p.what);
      });
  });
  attributes.attributeArray("remarks", [&] {
    for (const Remark& remark : report.remarks)
      attributes.value(as_json(remark));
  });
}

} // namespace heddle

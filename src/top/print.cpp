#include "top/print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace heddle {

using llvm::formatv;
using llvm::raw_ostream;

namespace {

// One count of all, and how it is called.
struct Named {
  uint64_t Counts::* count;
  const char *text, *name, *help; // for people; for machines; for those who read what machines are given
};
constexpr Named named[] = {
    {&Counts::packets, "packets staged", "packets", "Packets that could be suspended."},
    {&Counts::one_by_one, "packets one by one", "one_by_one",
     "Packets that ran to their ends without others."},
    {&Counts::batches, "batches", "batches", "Sets of packets that were in flight together."},
    {&Counts::crossings, "crossings", "crossings", "Times that a packet was suspended and resumed."},
    {&Counts::visits, "visits of stages", "visits", "Times that a stage but the first ran for some packets."},
    {&Counts::held, "left out by a key", "held",
     "Times that a packet was left out of a visit because of a key."},
    {&Counts::alone, "alone on a rare path", "alone", "Packets that took a rare path and ran alone."},
    {&Counts::deferred, "output put off", "deferred", "Calls for output that were kept and made later."},
};

struct NamedOfStage {
  uint64_t heddle_counters_row::* count;
  const char *name, *help;
};
constexpr NamedOfStage of_stage[] = {
    {&heddle_counters_row::visits, "visits", "Visits of a stage."},
    {&heddle_counters_row::packets, "packets", "Packets that ran in visits of a stage."},
    {&heddle_counters_row::left_out, "left_out",
     "Times that a packet was left out of a stage because of its key."},
    {&heddle_counters_row::waited, "waited_nanoseconds",
     "Time that packets left out have waited for a stage."},
};

double part(double a, double b) {
  return b == 0 ? 0 : a / b;
}

std::string duration(double seconds) {
  const auto whole = uint64_t(seconds);
  if (whole < 60) return formatv("{0:f1} s", seconds);
  if (whole < 3600) return formatv("{0} min {1} s", whole / 60, whole % 60);
  return formatv("{0} h {1} min", whole / 3600, whole / 60 % 60);
}

std::string range_of(unsigned size_class) {
  const uint64_t largest = largest_of(size_class);
  if (largest == 0) return "more than " + std::to_string(largest_of(size_class - 1));
  if (largest <= 2) return std::to_string(largest);
  return std::to_string(largest / 2 + 1) + " to " + std::to_string(largest);
}

void print_sizes(const Counts& passed, raw_ostream& out) {
  constexpr double columns = 40;
  uint64_t all = 0, most = 0;
  for (uint64_t batches : passed.sizes) {
    all += batches;
    most = std::max(most, batches);
  }
  out << formatv("\nbatches received, by packets{0}\n", all == 0 ? ": none" : "");
  for (unsigned size = 0; all != 0 && size != passed.sizes.size(); ++size)
    out << formatv(
        "{0,14} {1,6:f1} % {2}\n", range_of(size), 100 * part(double(passed.sizes[size]), double(all)),
        std::string(size_t(std::lround(columns * part(double(passed.sizes[size]), double(most)))), '#'));
}

void print_body(const CountedBody& passed, double seconds, raw_ostream& out) {
  out << formatv("\n{0}\n{1,5} {2,12} {3,12} {4,10} {5,12} {6,16}\n", passed.name, "stage", "visits/s",
                 "packets/s", "per visit", "left out/s", "waited ns/packet");
  for (const auto& [stage, row] : llvm::enumerate(passed.stages))
    out << formatv("{0,5} {1,12:f0} {2,12:f0} {3,10:f1} {4,12:f0} {5,16:f1}\n", stage,
                   part(double(row.visits), seconds), part(double(row.packets), seconds),
                   part(double(row.packets), double(row.visits)), part(double(row.left_out), seconds),
                   part(double(row.waited), double(row.packets)));
}

void print_alone(const Counts& passed, raw_ostream& out) {
  constexpr size_t most = 8;
  if (passed.alone_at.empty()) return;
  out << formatv("\n{0,12}  ran alone, by where they became so\n", "packets/s");
  for (const CountedPlace& place : llvm::ArrayRef(passed.alone_at).take_front(most))
    out << formatv("{0,12:f1}  {1}\n", part(double(place.packets), passed.seconds), place.name);
  if (passed.alone_at.size() > most)
    out << formatv("{0,12}  and {1} more places: --json has them\n", "", passed.alone_at.size() - most);
}

// Of a label.
std::string escaped(llvm::StringRef value) {
  std::string text;
  for (char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text;
}

void begin_metric(raw_ostream& out, const llvm::Twine& name, llvm::StringRef type, llvm::StringRef help) {
  out << "# HELP heddle_" << name << ' ' << help << "\n# TYPE heddle_" << name << ' ' << type << '\n';
}

} // namespace

void print_counts(const Counts& now, const Counts& passed, raw_ostream& out) {
  std::vector<std::string> processes;
  for (uint32_t process : now.processes)
    processes.push_back(std::to_string(process));
  out << formatv("{0}, process {1}, for {2}\n\n{3,-22} {4,14} {5,18}\n", now.program,
                 llvm::join(processes, ", "), duration(now.seconds), "", "per second", "in all");
  for (const Named& one : named)
    out << formatv("{0,-22} {1,14:f0} {2,18}\n", one.text, part(double(passed.*one.count), passed.seconds),
                   now.*one.count);
  out << formatv("{0,-22} {1,14:f1} {2,18:f1}\n", "packets per visit", passed.packets_per_visit(),
                 now.packets_per_visit());
  if (now.slotless != 0) out << formatv("threads not counted    {0,14} {1,18}\n", "", now.slotless);
  print_sizes(passed, out);
  for (const CountedBody& body : passed.bodies)
    print_body(body, passed.seconds, out);
  print_alone(passed, out);
}

void write_counts(const Counts& counts, llvm::json::OStream& json) {
  json.attribute("program", llvm::json::fixUTF8(counts.program));
  json.attributeArray("processes", [&] {
    for (uint32_t process : counts.processes)
      json.value(process);
  });
  json.attribute("seconds", counts.seconds);
  for (const Named& one : named)
    json.attribute(one.name, counts.*one.count);
  json.attribute("packets_per_visit", counts.packets_per_visit());
  json.attribute("threads_not_counted", counts.slotless);
  json.attribute("received", counts.received);
  json.attributeArray("batch_sizes", [&] {
    for (unsigned size = 0; size != counts.sizes.size(); ++size)
      json.object([&] {
        json.attribute("to", largest_of(size));
        json.attribute("batches", counts.sizes[size]);
      });
  });
  json.attributeArray("bodies", [&] {
    for (const CountedBody& body : counts.bodies)
      json.object([&] {
        json.attribute("name", llvm::json::fixUTF8(body.name));
        json.attributeArray("stages", [&] {
          for (const heddle_counters_row& row : body.stages)
            json.object([&] {
              for (const NamedOfStage& one : of_stage)
                json.attribute(one.name, row.*one.count);
            });
        });
      });
  });
  json.attributeArray("alone_at", [&] {
    for (const CountedPlace& place : counts.alone_at)
      json.object([&] {
        json.attribute("name", llvm::json::fixUTF8(place.name));
        json.attribute("packets", place.packets);
      });
  });
}

void print_prometheus(const Counts& counts, raw_ostream& out) {
  const std::string program = "program=\"" + escaped(counts.program) + "\"";
  for (const Named& one : named) {
    const std::string name = std::string(one.name) + "_total";
    begin_metric(out, name, "counter", one.help);
    out << "heddle_" << name << "{" << program << "} " << counts.*one.count << "\n";
  }
  begin_metric(out, "threads_not_counted", "gauge", "Threads that found no room for their counters.");
  out << "heddle_threads_not_counted{" << program << "} " << counts.slotless << '\n';
  begin_metric(out, "received_batch_packets", "histogram",
               "Batches as they were received, by their packets.");
  uint64_t sum = 0;
  for (unsigned size = 0; size != counts.sizes.size(); ++size) {
    sum += counts.sizes[size];
    const uint64_t largest = largest_of(size);
    out << "heddle_received_batch_packets_bucket{" << program << ",le=\""
        << (largest == 0 ? "+Inf" : std::to_string(largest)) << "\"} " << sum << '\n';
  }
  out << "heddle_received_batch_packets_sum{" << program << "} " << counts.received << '\n'
      << "heddle_received_batch_packets_count{" << program << "} " << sum << '\n';
  for (const NamedOfStage& one : of_stage) {
    if (counts.bodies.empty()) break;
    const std::string name = "stage_" + std::string(one.name) + "_total";
    begin_metric(out, name, "counter", one.help);
    for (const CountedBody& body : counts.bodies)
      for (const auto& [stage, row] : llvm::enumerate(body.stages))
        out << "heddle_" << name << '{' << program << ",body=\"" << escaped(body.name) << "\",stage=\""
            << stage << "\"} " << row.*one.count << '\n';
  }
  if (counts.alone_at.empty()) return;
  begin_metric(out, "alone_at_total", "counter", "Packets that ran alone, by where they became so.");
  for (const CountedPlace& place : counts.alone_at)
    out << "heddle_alone_at_total{" << program << ",place=\"" << escaped(place.name) << "\"} "
        << place.packets << '\n';
}

} // namespace heddle

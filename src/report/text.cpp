// A section per part of the document, in the page's order; every figure says whether it was measured, simulated or modelled.
#include "report/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace heddle {

using llvm::formatv;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr size_t windows_shown = 10; // of each body
constexpr double line_kib = 64.0 / 1024;

double number(const Object& object, StringRef name) {
  return object.getNumber(name).value_or(0);
}

StringRef string(const Object& object, StringRef name) {
  return object.getString(name).value_or("");
}

// The objects of an array of objects; none where it is absent.
std::vector<const Object*> objects(const Object& object, StringRef name) {
  std::vector<const Object*> found;
  if (const Array* array = object.getArray(name))
    for (const llvm::json::Value& value : *array)
      if (const Object* element = value.getAsObject()) found.push_back(element);
  return found;
}

void row(llvm::raw_ostream& out, StringRef label, const llvm::Twine& text) {
  out << "  " << llvm::left_justify(label, 22) << text << '\n';
}

std::string interval(const Object& object, const std::string& name) {
  const Array* bounds = object.getArray(name + "_ci");
  if (!bounds || bounds->size() != 2) return formatv("{0:f3}", number(object, name));
  return formatv("{0:f3} [{1:f3}, {2:f3}]", number(object, name), (*bounds)[0].getAsNumber().value_or(0),
                 (*bounds)[1].getAsNumber().value_or(0));
}

void print_summary(const Object& document, llvm::raw_ostream& out) {
  const Object* summary = document.getObject("summary");
  if (!summary) return;
  out << "summary\n";
  row(out, "applied", string(*summary, "applied"));
  row(out, "trust", string(*summary, "trust"));
  if (summary->get("outputs")) row(out, "outputs", string(*summary, "outputs"));
  if (summary->get("ratio"))
    row(out, "speed to original",
        interval(*summary, "ratio") +
            formatv(" at {0:f1} % (measured)", 100 * number(*summary, "confidence")));
  if (summary->get("ratio_staging_off"))
    row(out, "with staging off", interval(*summary, "ratio_staging_off") + " (measured)");
  if (const Object* machine = document.getObject("machine")) row(out, "machine", string(*machine, "cpu"));
}

void print_cycles(const Object& document, llvm::raw_ostream& out) {
  const Object* cycles = document.getObject("cycles");
  if (!cycles) return;
  const Object &before = *cycles->getObject("before"), &after = *cycles->getObject("after");
  out << "\nwhere a packet's cycles go (modelled)  as written    as planned\n";
  static constexpr std::pair<const char*, const char*> rows[] = {{"front_end", "front end"},
                                                                 {"data", "data"},
                                                                 {"switching", "switching"},
                                                                 {"rest", "the rest"},
                                                                 {"total", "total"}};
  for (auto [name, label] : rows)
    row(out, label, formatv("{0,24:f0} {1,13:f0}", number(before, name), number(after, name)).str());
}

void print_misses(const Object& document, llvm::raw_ostream& out) {
  const Object* path = document.getObject("path");
  if (!path) return;
  out << "\ninstruction-cache misses per thousand instructions (simulated)\n";
  for (const Object* cache : objects(*path, "misses")) {
    const double instructions = number(*cache, "instructions") / 1000;
    if (instructions <= 0) continue;
    row(out, string(*cache, "cache"),
        formatv("as written {0,7:f2}   as planned {1,7:f2}{2}", number(*cache, "original") / instructions,
                number(*cache, "staged") / instructions,
                string(*cache, "cache") == string(*path, "host_icache") ? "   (the host's)" : "")
            .str());
  }
}

void print_stages(const Object& body, llvm::raw_ostream& out) {
  if (objects(body, "sites").empty()) return row(out, "not staged", "");
  unsigned stage = 0;
  for (const Object* row_of : objects(body, "stages"))
    row(out, formatv("stage {0}", stage++).str(),
        formatv("{0,7:f1} KiB  {1,7:f0} instructions  {2,6:f2} crossings", number(*row_of, "cost") * line_kib,
                number(*row_of, "heat"), number(*row_of, "crossings"))
            .str());
}

void print_windows(const Object& body, llvm::raw_ostream& out) {
  const auto windows = objects(body, "windows");
  for (const Object* window : llvm::ArrayRef(windows).take_front(windows_shown)) {
    row(out, "window",
        formatv("{0,5:f1} % of the packet  {1}", 100 * number(*window, "heat_share"), string(*window, "name"))
            .str());
    if (!string(*window, "would_free").empty())
      row(out, "", "       would be freed by: " + string(*window, "would_free"));
  }
  if (number(body, "windows_count") > double(windows_shown))
    row(out, "",
        formatv("... and {0} more", int64_t(number(body, "windows_count")) - int64_t(windows_shown)).str());
  std::map<std::string, unsigned> freed;
  for (const Object* location : objects(body, "relaxed"))
    ++freed[string(*location, "verdict").str()];
  for (const auto& [verdict, count] : freed)
    row(out, "freed", formatv("{0,5} locations by {1}", count, verdict).str());
}

void print_loads(const Object& body, llvm::raw_ostream& out) {
  for (const Object* load : objects(body, "loads"))
    row(out, load->getBoolean("hidden").value_or(false) ? "hidden load" : "load left",
        formatv("{0}: {1:f1} times a packet, {2:f0} cycles each (simulated): {3}", string(*load, "at"),
                number(*load, "accesses"), number(*load, "stall"), string(*load, "reason"))
            .str());
}

void print_bodies(const Object& document, llvm::raw_ostream& out) {
  const Object* plan = document.getObject("plan");
  if (!plan) return;
  for (const Object* body : objects(*plan, "bodies")) {
    out << '\n' << string(*body, "body") << ": " << string(*body, "source") << '\n';
    row(out, "sample",
        formatv("{0} packets, {1:f0} instructions each", int64_t(number(*body, "packets")),
                number(*body, "instructions"))
            .str());
    print_stages(*body, out);
    print_windows(*body, out);
    print_loads(*body, out);
  }
}

void print_batches(const Object& document, llvm::raw_ostream& out) {
  const Object* path = document.getObject("path");
  if (!path) return;
  for (const Object* body : objects(*path, "bodies")) {
    const auto batches = objects(*body, "batches");
    if (batches.empty()) continue;
    double calls = 0, packets = 0;
    for (const Object* batch : batches) {
      calls += number(*batch, "batches");
      packets += number(*batch, "batches") * number(*batch, "packets");
    }
    out << '\n'
        << formatv("batches of {0}: {1:f0} in the sample, {2:f1} packets on average, from {3} to {4}\n",
                   string(*body, "body"), calls, packets / calls,
                   int64_t(number(*batches.front(), "packets")), int64_t(number(*batches.back(), "packets")));
  }
}

void print_sweep(const Object& document, llvm::raw_ostream& out) {
  const Object* sweep = document.getObject("sweep");
  if (!sweep) return;
  out << formatv("\nplans in turn, times the original: predicted, and measured in {0} rounds\n",
                 int64_t(number(*sweep, "rounds")));
  int64_t index = 0;
  for (const Object* plan : objects(*sweep, "plans")) {
    row(out, string(*plan, "name"),
        formatv("{0,7:f3} {1,7:f3}{2}{3}", number(*plan, "predicted"), number(*plan, "ratio"),
                index == int64_t(number(*sweep, "chosen")) ? "   chosen by the models" : "",
                index == int64_t(number(*sweep, "best")) ? "   best" : "")
            .str());
    ++index;
  }
  if (const Object* outputs = sweep->getObject("outputs")) row(out, "outputs", string(*outputs, "verdict"));
  row(out, "models' choice", formatv("{0:f1} % of the best", 100 * number(*sweep, "share_of_best")).str());
}

void print_remarks(const Object& document, llvm::raw_ostream& out) {
  const Object* plan = document.getObject("plan");
  if (!plan) return;
  out << '\n';
  for (const Object* remark : objects(*plan, "remarks")) {
    out << "remark [" << string(*remark, "code") << "] " << string(*remark, "where") << ": "
        << string(*remark, "what") << '\n';
    if (!string(*remark, "hint").empty()) out << "  hint: " << string(*remark, "hint") << '\n';
  }
}

void print_left_out(const Object& document, llvm::raw_ostream& out) {
  for (const Object* part : objects(document, "left_out"))
    out << "left out: " << string(*part, "section") << ": " << string(*part, "why") << "; "
        << string(*part, "hint") << '\n';
}

} // namespace

void print_report(const Object& document, llvm::raw_ostream& out) {
  print_summary(document, out);
  print_cycles(document, out);
  print_misses(document, out);
  print_bodies(document, out);
  print_batches(document, out);
  print_sweep(document, out);
  print_remarks(document, out);
  print_left_out(document, out);
}

} // namespace heddle

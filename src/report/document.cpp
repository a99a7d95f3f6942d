// The document repeats the files of the work folder under their names, cut to what a person looks at, and adds what follows from
// several of them: a summary, the cycles' model, the source lines. No figure stands in it twice with two meanings, and none that has
// no file behind it: a part without data is absent, and `left_out` says why.
#include "report/document.h"

#include "host/machine.h"
#include "report/cycles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

constexpr size_t accesses_at_ends = 6; // of a window
constexpr size_t most_relaxed = 1000;  // of a body

// The first `keep` elements; the number of all is kept under `count`.
void shorten(Object& object, llvm::StringRef name, size_t keep, llvm::StringRef count) {
  Array* array = object.getArray(name);
  if (!array) return;
  const int64_t all = int64_t(array->size());
  while (array->size() > keep)
    array->pop_back();
  object[count] = all; // moves the object's values
}

void shorten_accesses(Object& window) {
  Array* accesses = window.getArray("accesses");
  if (!accesses) return;
  const size_t count = accesses->size();
  if (count > 2 * accesses_at_ends)
    for (size_t i = 0; i != accesses_at_ends; ++i)
      (*accesses)[accesses_at_ends + i] = std::move((*accesses)[count - accesses_at_ends + i]);
  while (accesses->size() > 2 * accesses_at_ends)
    accesses->pop_back();
  window["accesses_count"] = int64_t(count);
}

// C++ functions as written; the plan has them by their names in the module.
void add_readable_name(Object& context) {
  if (auto function = context.getString("function")) context["name"] = llvm::demangle(function->str());
}

Object plan_part(Object plan) {
  if (Array* bodies = plan.getArray("bodies"))
    for (Value& body : *bodies) {
      Object& object = *body.getAsObject();
      shorten(object, "windows", windows_in_report, "windows_count");
      shorten(object, "relaxed", most_relaxed, "relaxed_count");
      for (Value& window : *object.getArray("windows"))
        shorten_accesses(*window.getAsObject());
      for (Value& context : *object.getArray("contexts"))
        add_readable_name(*context.getAsObject());
    }
  return plan;
}

// All that is drawn. Picked rather than erased from: LLVM 19's Object cannot be copied after erase().
Object path_part(Object path) {
  Object part;
  for (const char* name : {"host_icache", "misses", "bodies"})
    if (Value* value = path.get(name)) part[name] = std::move(*value);
  return part;
}

Object object_of(const CycleShares& shares) {
  return Object{{"front_end", shares.front_end},
                {"data", shares.data},
                {"switching", shares.switching},
                {"rest", shares.rest},
                {"total", shares.total()}};
}

// Nothing of a sample without packets.
std::optional<Object> cycles_part(const Plan& plan) {
  const CyclesBeforeAfter cycles = model_cycles(plan);
  if (cycles.before.total() <= 0) return std::nullopt;
  return Object{{"kind", "modelled"},
                {"host", plan.host},
                {"before", object_of(cycles.before)},
                {"after", object_of(cycles.after)}};
}

void add_speed(Object& summary, const Object& bench) {
  const Array* variants = bench.getArray("variants");
  if (!variants || variants->size() < 2) return;
  static constexpr const char* names[] = {"", "ratio", "ratio_staging_off"};
  for (size_t v = 1; v < std::min<size_t>(variants->size(), 3); ++v) {
    const Object& variant = *(*variants)[v].getAsObject();
    summary[names[v]] = variant.getNumber("ratio").value_or(0);
    if (const Array* interval = variant.getArray("ratio_ci"))
      summary[std::string(names[v]) + "_ci"] = Array(*interval);
    if (v == 1) summary["confidence"] = variant.getNumber("confidence").value_or(0);
  }
}

Object summary_part(const ReportInputs& inputs) {
  const Plan& plan = inputs.plan;
  size_t stages = 1, sites = 0, loads = 0, hidden = 0, windows = 0;
  uint64_t packets = 0;
  for (const BodyPlan& body : plan.bodies) {
    if (!body.sites.empty()) stages = std::max(stages, body.stages.size());
    sites += body.sites.size();
    loads += body.loads.size();
    hidden += size_t(llvm::count_if(body.loads, [](const PlannedLoad& load) { return load.hidden; }));
    windows += body.windows.size();
    packets += body.packets;
  }
  Object summary{{"applied", summary_of(plan)},
                 {"trust", trust_of(plan)},
                 {"bodies", int64_t(plan.bodies.size())},
                 {"packets", int64_t(packets)},
                 {"stages", int64_t(stages)},
                 {"sites", int64_t(sites)},
                 {"loads", int64_t(loads)},
                 {"hidden_loads", int64_t(hidden)},
                 {"windows", int64_t(windows)},
                 {"remarks", int64_t(plan.remarks.size())},
                 {"batch", plan.batch}};
  if (inputs.verify)
    if (auto verdict = inputs.verify->getString("verdict")) summary["outputs"] = verdict->str();
  if (inputs.bench) add_speed(summary, *inputs.bench);
  return summary;
}

Value machine_now() {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.object([&] { write_machine(describe_machine(), json); });
  return llvm::cantFail(llvm::json::parse(text));
}

// What no step measures yet.
void add_unmeasured(const ReportInputs& inputs, std::vector<LeftOut>& left_out) {
  if (inputs.bench)
    if (auto why = inputs.bench->getString("no_counters"); why && !why->empty())
      left_out.push_back({"counters", why->str(), "`heddle bench` on a machine that has them"});
  left_out.push_back({"latency", "no step measures each packet's latency",
                      "`heddle bench --metric lower:REGEX` measures one that the program prints"});
}

} // namespace

Object report_document(ReportInputs inputs, const SourceOptions& options) {
  std::vector<LeftOut> left_out = std::move(inputs.left_out);
  Object document{{"format", "heddle-report"}, {"version", 1}, {"folder", inputs.folder}};
  document["summary"] = summary_part(inputs);
  const Object* measured_on = inputs.bench ? inputs.bench->getObject("machine") : nullptr;
  document["machine"] = measured_on ? Value(Object(*measured_on)) : machine_now();
  if (auto cycles = cycles_part(inputs.plan)) document["cycles"] = std::move(*cycles);
  document["sources"] = source_views(inputs, options, left_out);
  document["plan"] = plan_part(std::move(inputs.plan_file));
  if (inputs.path) document["path"] = path_part(std::move(*inputs.path));
  add_unmeasured(inputs, left_out);
  if (inputs.verify) document["verify"] = std::move(*inputs.verify);
  if (inputs.bench) document["bench"] = std::move(*inputs.bench);
  if (inputs.sweep) document["sweep"] = std::move(*inputs.sweep);
  Array missing;
  for (const LeftOut& part : left_out)
    missing.push_back(Object{{"section", part.section}, {"why", part.why}, {"hint", part.hint}});
  document["left_out"] = std::move(missing);
  return document;
}

} // namespace heddle

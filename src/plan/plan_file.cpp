// The plan as JSON. Writer and reader name the fields in the same order; docs/plan.schema.json describes
// them.

#include "plan/plan.h"
#include "plan/plan_fields.h"
#include "support/file.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

namespace heddle {

using llvm::json::OStream;

namespace {

constexpr const char* format_name = "heddle-plan";
constexpr uint32_t format_version = 1;

// Three decimals are enough for a prediction and keep the file readable.
double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

// Analysed programs may hold names that are no UTF-8; JSON cannot.
std::string text(llvm::StringRef value) {
  return llvm::json::isUTF8(value) ? value.str() : llvm::json::fixUTF8(value);
}

template <typename T, typename Each>
void write_array(OStream& json, const char* name, const std::vector<T>& values, Each each) {
  json.attributeArray(name, [&] {
    for (const T& value : values)
      json.object([&] { each(value); });
  });
}

void write_accesses(OStream& json, const std::vector<LocationAccess>& accesses) {
  write_array(json, "accesses", accesses, [&](const LocationAccess& access) {
    json.attribute("node", access.node);
    json.attribute("write", access.write);
    json.attribute("function", text(access.function));
    json.attribute("at", text(access.at));
  });
}

void write_windows(OStream& json, const BodyPlan& body) {
  write_array(json, "windows", body.windows, [&](const PlannedWindow& window) {
    json.attribute("name", text(window.name));
    json.attribute("verdict", text(window.verdict));
    json.attribute("reason", text(window.reason));
    json.attribute("would_free", text(window.would_free));
    json.attribute("heat_share", rounded(window.heat_share));
    json.attribute("cost", rounded(window.cost));
    json.attribute("static_lines", rounded(window.static_lines));
    json.attribute("instructions", int64_t(window.instructions));
    json.attribute("region_share", rounded(window.region_share));
    json.attribute("freed_alone", rounded(window.freed_alone));
    json.attribute("freed_with_larger", rounded(window.freed_with_larger));
    write_accesses(json, window.accesses);
  });
  write_array(json, "relaxed", body.relaxed, [&](const PlannedRelaxation& relaxed) {
    json.attribute("name", text(relaxed.name));
    json.attribute("verdict", text(relaxed.verdict));
    json.attribute("reason", text(relaxed.reason));
  });
}

void write_decision(OStream& json, const BodyPlan& body) {
  write_array(json, "stages", body.stages, [&](const PlannedStage& stage) {
    json.attribute("cost", rounded(stage.cost));
    json.attribute("heat", rounded(stage.heat));
    json.attribute("crossings", rounded(stage.crossings));
    json.attribute("blocks", stage.blocks);
  });
  write_array(json, "sites", body.sites, [&](const PlannedSite& site) {
    json.attribute("stage", site.stage);
    json.attribute("context", site.context);
    json.attribute("from", site.from);
    json.attribute("to", site.to);
    json.attribute("function", text(site.function));
    json.attribute("at", text(site.at));
  });
  write_array(json, "contexts", body.contexts, [&](const CutContext& context) {
    json.attribute("parent", context.parent);
    json.attribute("call_block", context.call_block);
    json.attribute("function", text(context.function));
  });
}

void write_body(OStream& json, const BodyPlan& body) {
  json.attribute("body", text(body.body));
  json.attribute("source", text(body.source));
  json.attribute("packets", int64_t(body.packets));
  json.attribute("instructions", rounded(body.instructions));
  json.attribute("footprint", rounded(body.footprint));
  json.attribute("static_lines", rounded(body.static_lines));
  json.attribute("shared_locations", body.shared_locations);
  json.attribute("window_heat", rounded(body.window_heat));
  json.attribute("window_lines", rounded(body.window_lines));
  json.attribute("cycles_saved", rounded(body.cycles_saved));
  write_decision(json, body);
  write_windows(json, body);
}

void write_plan_object(OStream& json, const Plan& plan) {
  json.attribute("format", format_name);
  json.attribute("version", format_version);
  json.attribute("program", text(plan.program));
  json.attribute("policy", text(plan.policy));
  json.attribute("footprint_model", text(plan.footprint_model));
  json.attribute("budget", rounded(plan.budget));
  json.attribute("icache_lines", rounded(plan.icache_lines));
  json.attribute("batch", plan.batch);
  json.attributeArray("relaxations", [&] {
    for (const std::string& relaxation : plan.relaxations)
      json.value(text(relaxation));
  });
  write_array(json, "bodies", plan.bodies, [&](const BodyPlan& body) { write_body(json, body); });
  write_array(json, "remarks", plan.remarks, [&](const Remark& remark) {
    json.attribute("code", text(remark.code));
    json.attribute("where", text(remark.where));
    json.attribute("what", text(remark.what));
    json.attribute("hint", text(remark.hint));
  });
}

void read_windows(PlanFields& fields, BodyPlan& body) {
  fields.read("windows", body.windows, [](PlanFields& f, PlannedWindow& window) {
    f.read("name", window.name);
    f.read("verdict", window.verdict);
    f.read("reason", window.reason);
    f.read("would_free", window.would_free);
    f.read("heat_share", window.heat_share);
    f.read("cost", window.cost);
    f.read("static_lines", window.static_lines);
    f.read("instructions", window.instructions);
    f.read("region_share", window.region_share);
    f.read("freed_alone", window.freed_alone);
    f.read("freed_with_larger", window.freed_with_larger);
    f.read("accesses", window.accesses, [](PlanFields& g, LocationAccess& access) {
      g.read("node", access.node);
      g.read("write", access.write);
      g.read("function", access.function);
      g.read("at", access.at);
    });
  });
  fields.read("relaxed", body.relaxed, [](PlanFields& f, PlannedRelaxation& relaxed) {
    f.read("name", relaxed.name);
    f.read("verdict", relaxed.verdict);
    f.read("reason", relaxed.reason);
  });
}

void read_decision(PlanFields& fields, BodyPlan& body) {
  fields.read("stages", body.stages, [](PlanFields& f, PlannedStage& stage) {
    f.read("cost", stage.cost);
    f.read("heat", stage.heat);
    f.read("crossings", stage.crossings);
    f.read("blocks", stage.blocks);
  });
  fields.read("sites", body.sites, [](PlanFields& f, PlannedSite& site) {
    f.read("stage", site.stage);
    f.read("context", site.context);
    f.read("from", site.from);
    f.read("to", site.to);
    f.read("function", site.function);
    f.read("at", site.at);
  });
  fields.read("contexts", body.contexts, [](PlanFields& f, CutContext& context) {
    f.read("parent", context.parent);
    f.read("call_block", context.call_block);
    f.read("function", context.function);
  });
}

void read_body(PlanFields& fields, BodyPlan& body) {
  fields.read("body", body.body);
  fields.read("source", body.source);
  fields.read("packets", body.packets);
  fields.read("instructions", body.instructions);
  fields.read("footprint", body.footprint);
  fields.read("static_lines", body.static_lines);
  fields.read("shared_locations", body.shared_locations);
  fields.read("window_heat", body.window_heat);
  fields.read("window_lines", body.window_lines);
  fields.read("cycles_saved", body.cycles_saved);
  read_decision(fields, body);
  read_windows(fields, body);
}

void read_plan_object(PlanFields& fields, Plan& plan) {
  fields.read("program", plan.program);
  fields.read("policy", plan.policy);
  fields.read("footprint_model", plan.footprint_model);
  fields.read("budget", plan.budget);
  fields.read("icache_lines", plan.icache_lines);
  fields.read("batch", plan.batch);
  fields.read("relaxations", plan.relaxations);
  fields.read("bodies", plan.bodies, read_body);
  fields.read("remarks", plan.remarks, [](PlanFields& f, Remark& remark) {
    f.read("code", remark.code);
    f.read("where", remark.where);
    f.read("what", remark.what);
    f.read("hint", remark.hint);
  });
}

llvm::Error not_a_plan(const llvm::Twine& why, llvm::StringRef path) {
  return diagnose("not a plan: " + why, "give the file that 'heddle plan' wrote", path);
}

} // namespace

llvm::Error write_plan(const Plan& plan, llvm::StringRef path) {
  return write_file(path, [&](llvm::raw_ostream& out) {
    OStream json(out, 2);
    json.object([&] { write_plan_object(json, plan); });
    out << '\n';
  });
}

llvm::Expected<Plan> read_plan(llvm::StringRef path, llvm::StringRef program_id) {
  auto buffer = read_file(path);
  if (!buffer) return buffer.takeError();
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) return not_a_plan(llvm::toString(value.takeError()), path);
  const llvm::json::Object* object = value->getAsObject();
  if (!object || object->getString("format") != llvm::StringRef(format_name))
    return not_a_plan(llvm::Twine("no field 'format' with the value '") + format_name + "'", path);

  Plan plan;
  std::string format;
  uint32_t version = 0;
  PlanFields fields(*value, "");
  fields.read("format", format);
  fields.read("version", version);
  if (version != format_version)
    return diagnose("plan of format version " + llvm::Twine(version) + ", and this Heddle reads " +
                        llvm::Twine(format_version),
                    "make the plan again with 'heddle plan'", path);
  read_plan_object(fields, plan);
  if (llvm::Error error = fields.done(path)) return std::move(error);
  if (!program_id.empty() && plan.program != program_id)
    return diagnose("plan for another build of the program (" + plan.program + ", not " + program_id + ")",
                    "make the plan again with 'heddle plan'", path);
  return plan;
}

} // namespace heddle

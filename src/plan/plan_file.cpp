// The plan as JSON; docs/plan.schema.json describes the fields.
//
// `checked` is a digest of what legality depends on. A plan whose digest is right is as `heddle plan` wrote
// it; any other was edited, and its cuts are checked again before they are applied.

#include "plan/plan.h"
#include "support/fields.h"
#include "support/file.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

#include <concepts>

namespace heddle {

constexpr const char* format_name = "heddle-plan";
constexpr uint32_t format_version = 1;

template <typename T, typename Of>
concept Maybe = std::same_as<std::remove_const_t<T>, Of>; // T is Of or const Of

template <typename Fields, Maybe<OpenedCall> T> void list_fields(Fields& fields, T& call) {
  fields("block", call.block);
  fields("targets", call.targets);
  fields("function", call.function);
  fields("at", call.at);
}

template <typename Fields, Maybe<OpenedLoop> T> void list_fields(Fields& fields, T& loop) {
  fields("header", loop.header);
  fields("iterations", loop.iterations);
  fields("function", loop.function);
  fields("at", loop.at);
}

template <typename Fields, Maybe<OpenedLoad> T> void list_fields(Fields& fields, T& load) {
  fields("block", load.block);
  fields("number", load.number);
  fields("accesses", load.accesses);
  fields("level2", load.level2);
  fields("level3", load.level3);
  fields("memory", load.memory);
  fields("walks", load.walks);
  fields("chain", load.chain);
  fields("iteration", load.iteration);
  fields("loop", load.loop);
  fields("behind", load.behind);
  fields("follows_itself", load.follows_itself);
  fields("function", load.function);
  fields("at", load.at);
}

template <typename Fields, Maybe<OpenedClaim> T> void list_fields(Fields& fields, T& claim) {
  fields("block", claim.block);
  fields("instruction", claim.instruction);
  fields("key", claim.key);
  fields("fresh", claim.fresh);
  fields("function", claim.function);
  fields("at", claim.at);
}

template <typename Fields, Maybe<LocationAccess> T> void list_fields(Fields& fields, T& access) {
  fields("node", access.node);
  fields("write", access.write);
  fields("function", access.function);
  fields("at", access.at);
}

template <typename Fields, Maybe<SampledAccess> T> void list_fields(Fields& fields, T& access) {
  fields("when", access.when);
  fields("write", access.write);
  fields("function", access.function);
  fields("at", access.at);
}

template <typename Fields, Maybe<PlannedWindow> T> void list_fields(Fields& fields, T& window) {
  fields("name", window.name);
  fields("verdict", window.verdict);
  fields("reason", window.reason);
  fields("would_free", window.would_free);
  fields("heat_share", window.heat_share);
  fields("cost", window.cost);
  fields("static_lines", window.static_lines);
  fields("instructions", window.instructions);
  fields("region_share", window.region_share);
  fields("freed_alone", window.freed_alone);
  fields("freed_with_larger", window.freed_with_larger);
  fields("locations", window.locations);
  fields("objects", window.objects);
  fields("parts", window.parts);
  fields("ran", window.ran);
  fields("sampled", window.sampled);
  fields("accesses", window.accesses);
}

template <typename Fields, Maybe<PlannedRelaxation> T> void list_fields(Fields& fields, T& relaxed) {
  fields("name", relaxed.name);
  fields("verdict", relaxed.verdict);
  fields("reason", relaxed.reason);
}

template <typename Fields, Maybe<PlannedStage> T> void list_fields(Fields& fields, T& stage) {
  fields("cost", stage.cost);
  fields("heat", stage.heat);
  fields("crossings", stage.crossings);
  fields("blocks", stage.blocks);
  fields("ordered", stage.ordered);
}

template <typename Fields, Maybe<KeyRange> T> void list_fields(Fields& fields, T& range) {
  fields("key", range.key);
  fields("first", range.first);
  fields("last", range.last);
  fields("claimed", range.claimed);
  fields("name", range.name);
}

template <typename Fields, Maybe<PlannedSite> T> void list_fields(Fields& fields, T& site) {
  fields("stage", site.stage);
  fields("context", site.context);
  fields("from", site.from);
  fields("to", site.to);
  fields("function", site.function);
  fields("at", site.at);
}

template <typename Fields, Maybe<PlannedLoad> T> void list_fields(Fields& fields, T& load) {
  fields("context", load.context);
  fields("block", load.block);
  fields("hidden", load.hidden);
  fields("into", load.into);
  fields("lanes", load.lanes);
  fields("with", load.with);
  fields("accesses", load.accesses);
  fields("stall", load.stall);
  fields("reason", load.reason);
  fields("function", load.function);
  fields("at", load.at);
}

template <typename Fields, Maybe<DeferredCall> T> void list_fields(Fields& fields, T& call) {
  fields("block", call.block);
  fields("call", call.call);
  fields("callee", call.callee);
  fields("at", call.at);
}

template <typename Fields, Maybe<ScratchField> T> void list_fields(Fields& fields, T& place) {
  fields("field", place.field);
  fields("offset", place.offset);
}

template <typename Fields, Maybe<ScratchVariable> T> void list_fields(Fields& fields, T& variable) {
  fields("name", variable.name);
  fields("global", variable.global);
  fields("bytes", variable.bytes);
  fields("alignment", variable.alignment);
  fields("begins_as_before", variable.begins_as_before);
  fields("fields", variable.fields);
}

template <typename Fields, Maybe<CutContext> T> void list_fields(Fields& fields, T& context) {
  fields("parent", context.parent);
  fields("call_block", context.call_block);
  fields("function", context.function);
}

template <typename Fields, Maybe<PredictedCycles> T> void list_fields(Fields& fields, T& predicted) {
  fields("batch", predicted.batch);
  fields("original", predicted.original);
  fields("planned", predicted.planned);
}

template <typename Fields, Maybe<CycleShares> T> void list_fields(Fields& fields, T& shares) {
  fields("front_end", shares.front_end);
  fields("data", shares.data);
  fields("switching", shares.switching);
  fields("rest", shares.rest);
}

template <typename Fields, Maybe<BodyPlan> T> void list_fields(Fields& fields, T& body) {
  fields("body", body.body);
  fields("source", body.source);
  fields("packets", body.packets);
  fields("instructions", body.instructions);
  fields("footprint", body.footprint);
  fields("static_lines", body.static_lines);
  fields("shared_locations", body.shared_locations);
  fields("window_heat", body.window_heat);
  fields("window_lines", body.window_lines);
  fields("freed_rare", body.freed_rare);
  fields("cycles_saved", body.cycles_saved);
  fields("predicted", body.predicted);
  fields("cycles_before", body.cycles_before);
  fields("cycles_after", body.cycles_after);
  fields("stages", body.stages);
  fields("sites", body.sites);
  fields("interleaved", body.interleaved);
  fields("least_batch", body.least_batch);
  fields("loads", body.loads);
  fields("gates", body.gates);
  fields("deferred", body.deferred);
  fields("scratch", body.scratch);
  fields("own_errno", body.own_errno);
  fields("keys", body.keys);
  fields("contexts", body.contexts);
  fields("windows", body.windows);
  fields("relaxed", body.relaxed);
}

template <typename Fields, Maybe<Remark> T> void list_fields(Fields& fields, T& remark) {
  fields("code", remark.code);
  fields("where", remark.where);
  fields("what", remark.what);
  fields("hint", remark.hint);
}

template <typename Fields, Maybe<Declaration> T> void list_fields(Fields& fields, T& declaration) {
  fields("kind", declaration.kind);
  fields("names", declaration.names);
  fields("differs", declaration.differs);
  fields("why", declaration.why);
  fields("through_pointers", declaration.through_pointers);
  fields("fresh", declaration.fresh);
  fields("locations", declaration.locations);
  fields("shared", declaration.shared);
  fields("make", declaration.make);
}

template <typename Fields, Maybe<Plan> T> void list_fields(Fields& fields, T& plan) {
  fields("program", plan.program);
  fields("checked", plan.checked);
  fields("policy", plan.policy);
  fields("footprint_model", plan.footprint_model);
  fields("budget", plan.budget);
  fields("icache_lines", plan.icache_lines);
  fields("batch", plan.batch);
  fields("host", plan.host);
  fields("rare_share", plan.rare_share);
  fields("relaxations", plan.relaxations);
  fields("trust", plan.trust);
  fields("declared_in", plan.declarations.file);
  fields("declarations", plan.declarations.all);
  fields("opened_calls", plan.openings.calls);
  fields("opened_loops", plan.openings.loops);
  fields("opened_loads", plan.openings.loads);
  fields("opened_claims", plan.openings.claims);
  fields("bodies", plan.bodies);
  fields("remarks", plan.remarks);
}

static llvm::Error not_a_plan(const llvm::Twine& why, llvm::StringRef path) {
  return diagnose("not a plan: " + why, "give the file that 'heddle plan' wrote", path);
}

std::string decisions_digest(const Plan& plan) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  FieldWriter fields(json);
  json.object([&] {
    fields("program", plan.program);
    fields("relaxations", plan.relaxations);
    fields("trust", plan.trust);
    fields("declarations", plan.declarations.all);
    fields("opened_calls", plan.openings.calls);
    fields("opened_loops", plan.openings.loops);
    fields("opened_loads", plan.openings.loads);
    fields("opened_claims", plan.openings.claims);
    json.attributeArray("bodies", [&] {
      for (const BodyPlan& body : plan.bodies)
        json.object([&] {
          fields("body", body.body);
          fields("sites", body.sites);
          fields("interleaved", body.interleaved);
          fields("loads", body.loads);
          fields("gates", body.gates);
          fields("deferred", body.deferred);
          fields("scratch", body.scratch);
          fields("own_errno", body.own_errno);
          fields("keys", body.keys);
          json.attributeArray("ordered", [&] {
            for (const PlannedStage& stage : body.stages)
              json.value(stage.ordered);
          });
          fields("contexts", body.contexts);
        });
    });
  });
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(llvm::ArrayRef(digest).take_front(16), true);
}

void write_plan(const Plan& plan, llvm::json::OStream& json) {
  FieldWriter fields(json);
  fields("format", std::string(format_name));
  fields("version", format_version);
  list_fields(fields, plan);
}

llvm::Error write_plan(const Plan& plan, llvm::StringRef path) {
  return write_file(path, [&](llvm::raw_ostream& out) {
    llvm::json::OStream json(out, 2);
    json.object([&] { write_plan(plan, json); });
    out << '\n';
  });
}

llvm::Expected<Plan> read_plan(llvm::StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return diagnose("there is no such plan", "make it with `heddle plan PROGRAM`", path);
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
  FieldReader fields(*value, "");
  fields("format", format);
  fields("version", version);
  if (version != format_version)
    return diagnose("plan of format version " + llvm::Twine(version) + ", and this Heddle reads " +
                        llvm::Twine(format_version),
                    "make the plan again with 'heddle plan'", path);
  list_fields(fields, plan);
  if (llvm::Error error = fields.done(
          path, "docs/plan.schema.json lists the fields; or make the plan again with 'heddle plan'"))
    return std::move(error);
  return plan;
}

llvm::Error check_build(const Plan& plan, llvm::StringRef program_id, llvm::StringRef path) {
  if (plan.program == program_id) return llvm::Error::success();
  return diagnose("plan for another build of the program (" + plan.program + ", not " + program_id + ")",
                  "make the plan again with 'heddle plan'", path);
}

} // namespace heddle

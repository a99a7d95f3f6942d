// `heddle plan --print`: what was decided, for people.

#include "plan/plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

using llvm::formatv;

namespace {

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

void print_stages(const Plan& plan, const BodyPlan& body, llvm::raw_ostream& out) {
  out << "  stage  footprint  of budget  instructions  share  blocks  crossings per packet\n";
  for (size_t s = 0; s != body.stages.size(); ++s) {
    const PlannedStage& stage = body.stages[s];
    out << llvm::format("  %5zu  %9.0f  %7.0f %%  %12.0f  %3.0f %%  %6u  ", s, stage.cost,
                        percent(stage.cost, plan.budget), stage.heat, percent(stage.heat, body.instructions),
                        stage.blocks);
    if (s + 1 == body.stages.size())
      out << "-\n";
    else
      out << llvm::format("%.2f\n", stage.crossings);
  }
}

// What packets wait for, and what they do meanwhile.
void print_loads(const BodyPlan& body, llvm::raw_ostream& out) {
  if (body.loads.empty()) return;
  out << "  expensive loads (" << body.loads.size() << ")\n";
  for (const PlannedLoad& load : body.loads)
    out << "    " << (load.hidden ? "hidden  " : "left    ") << (load.at.empty() ? "?" : load.at) << "  "
        << load.function << ": "
        << (load.accesses > 0
                ? formatv("{0:f1} times a packet, {1:f0} cycles each (simulated): ", load.accesses,
                          load.stall)
                      .str()
                : std::string())
        << load.reason << '\n';
  if (!body.interleaved) return;
  out << "  interleaved in one function; packets overtake each other in stages";
  for (size_t s = 0; s != body.stages.size(); ++s)
    if (!body.stages[s].ordered) out << ' ' << s;
  out << formatv("; batches of {0} packets and more\n", body.least_batch);
}

// Where packets may overtake each other, and which do not.
void print_keys(const BodyPlan& body, llvm::raw_ostream& out) {
  if (body.sites.empty() || body.keys.empty()) return;
  for (const KeyRange& range : body.keys)
    out << formatv("  packets with the same {0} keep their order from stage {1} to stage {2}\n", range.name,
                   range.first, range.last);
  out << "  any two packets keep their order in stages";
  for (size_t s = 0; s != body.stages.size(); ++s)
    if (body.stages[s].ordered) out << ' ' << s;
  out << '\n';
}

void print_sites(const BodyPlan& body, llvm::raw_ostream& out) {
  if (body.sites.empty()) return;
  if (!body.interleaved && body.least_batch != 0)
    out << formatv("  batches of {0} packets and more are staged\n", body.least_batch);
  size_t width = 0;
  for (const PlannedSite& site : body.sites)
    width = std::max(width, site.at.size());
  out << "  sites (" << body.sites.size() << ")\n";
  for (const PlannedSite& site : body.sites)
    out << "    into stage " << llvm::format("%-3u", site.stage)
        << llvm::left_justify(site.at.empty() ? "?" : site.at, unsigned(width)) << "  " << site.function
        << (site.context ? formatv("  (context {0})", site.context).str() : "") << '\n';
}

void print_deferred(const BodyPlan& body, llvm::raw_ostream& out) {
  out << "  calls for output kept with the packet (" << body.deferred.size() << ")\n";
  for (const DeferredCall& call : body.deferred)
    out << "    " << call.callee << "  " << (call.at.empty() ? "?" : call.at) << '\n';
}

void print_body(const Plan& plan, const BodyPlan& body, llvm::raw_ostream& out) {
  out << '\n' << body.body << ": " << (body.source.empty() ? "?" : body.source) << '\n';
  out << formatv("  {0:f0} instructions and {1:f0} instruction-cache lines, from {2} packets; {3} opened "
                 "calls\n",
                 body.instructions, body.footprint, body.packets,
                 body.contexts.empty() ? 0 : body.contexts.size() - 1);
  if (body.sites.empty())
    out << "  not staged\n";
  else
    print_stages(plan, body, out);
  print_loads(body, out);
  print_keys(body, out);
  print_sites(body, out);
  if (!body.sites.empty() && !body.deferred.empty()) print_deferred(body, out);
}

void print_declarations(const Plan& plan, llvm::raw_ostream& out) {
  out << trust_of(plan) << '\n';
  for (const Declaration& declaration : plan.declarations.trusted(plan.trust).all) {
    out << "  " << declaration.kind << ' ' << llvm::join(declaration.names, ", ");
    if (!declaration.differs.empty()) out << " (may differ: " << declaration.differs << ')';
    if (!declaration.why.empty()) out << ": " << declaration.why;
    out << '\n';
  }
}

void print_openings(const Openings& openings, llvm::raw_ostream& out) {
  for (const OpenedLoop& loop : openings.loops)
    out << formatv("opened loop   {0}  {1}: {2} iterations\n", loop.at, loop.function, loop.iterations);
  for (const OpenedCall& call : openings.calls)
    out << formatv("opened call   {0}  {1}: {2}\n", call.at, call.function, llvm::join(call.targets, ", "));
  for (const OpenedClaim& claim : openings.claims)
    out << formatv("key {0}         {1}  {2}{3}\n", claim.key, claim.at, claim.function,
                   claim.fresh ? ", filled at once" : "");
}

} // namespace

void print_plan(const Plan& plan, llvm::raw_ostream& out) {
  out << "plan for " << plan.program << '\n';
  out << formatv("policy {0}, budget {1:f0} instruction-cache lines ({2} footprint), batch {3}\n",
                 plan.policy, plan.budget, plan.footprint_model, plan.batch);
  if (!plan.host.empty()) out << "host: " << plan.host << '\n';
  out << "relaxations: "
      << (plan.relaxations.empty() ? std::string("none") : llvm::join(plan.relaxations, ", ")) << '\n';
  print_declarations(plan, out);
  print_openings(plan.openings, out);
  for (const BodyPlan& body : plan.bodies)
    print_body(plan, body, out);
  for (const Remark& remark : plan.remarks)
    out << "\nremark [" << remark.code << "] " << remark.where << ": " << remark.what << "\n  " << remark.hint
        << '\n';
}

std::string trust_of(const Plan& plan) {
  const Declarations& all = plan.declarations;
  if (plan.trust == "observed") return "trust observed: FOR STUDY, NOT FOR PRODUCTION";
  if (all.file.empty() && all.all.empty()) return "trust " + plan.trust;
  return formatv("trust {0}, with {1} of {2} declarations of {3}", plan.trust,
                 all.trusted(plan.trust).all.size(), all.all.size(),
                 all.file.empty() ? "the program's source" : all.file);
}

namespace {

struct Size {
  size_t stages = 1, sites = 0, hidden = 0; // stages: of the body that has most
};

Size size_of(const Plan& plan) {
  Size size;
  for (const BodyPlan& body : plan.bodies) {
    if (!body.sites.empty()) size.stages = std::max(size.stages, body.stages.size());
    size.sites += body.sites.size();
    size.hidden += size_t(llvm::count_if(body.loads, [](const PlannedLoad& load) { return load.hidden; }));
  }
  return size;
}

} // namespace

std::string summary_of(const Plan& plan) {
  const Size size = size_of(plan);
  if (size.sites == 0) return "no cut is legal and worth it";
  std::string loads = size.hidden ? ", " + std::to_string(size.hidden) + " hidden loads" : "";
  return std::to_string(size.stages) + " stages, " + std::to_string(size.sites) + " sites" + loads;
}

void write_size(const Plan& plan, llvm::json::OStream& json) {
  const Size size = size_of(plan);
  json.attribute("stages", int64_t(size.stages));
  json.attribute("sites", int64_t(size.sites));
  json.attribute("hidden_loads", int64_t(size.hidden));
}

} // namespace heddle

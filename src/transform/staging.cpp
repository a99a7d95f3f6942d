// The staging pass (NanoPL, sections 3.1 and 4.3).
//
// Problem. A plan's cut is a set of edges in the tree of contexts: the same function reached through two
// opened calls has two contexts, and only one of them may hold a site. IR has one body per function.
//
// Alternatives. (a) Pass the context down as an argument and test it at the site: costs at every site, and changes
// signatures. (b) Give each opened context with a site in or below it its own copy of the callee, and direct its one call
// there. The copies replace the originals on the hot path, so the code that runs does not grow.
//
// Choice: (b); where the call is the callee's only use no copy is made. The copies are then inlined (frames.cpp), but
// not before the sites are in: blocks and calls have to be found as the plan names them.
//
// match: look up the body, the contexts that hold sites, the calls that open them. legal: every context,
// block and edge must exist and be able to hold a site; that the cuts are legal is the plan's promise
// (src/plan checks it). profitable: decided by the plan. rewrite: contexts top down, so that a call is looked
// up in its caller's own copy; then sites. count: StagingResult.
//
// Soundness of copies: a function's identity is only observable through its address, and only direct calls
// are redirected; static variables are module globals and stay shared. Blocks are found through the map that
// cloning leaves behind; sites are inserted last, so blocks and calls are those of the prepared module until
// then. A function edited in place has exactly one use, so nothing outside this context can reach the sites.
#include "transform/staging.h"

#include "program/expensive.h"
#include "program/inlining.h"
#include "transform/defer.h"
#include "transform/fetch_along.h"
#include "transform/frames.h"
#include "transform/gates.h"
#include "transform/leaving.h"
#include "transform/privatize.h"
#include "transform/schedule.h"
#include "transform/signals.h"
#include "transform/site.h"
#include "transform/wait_marks.h"
#include "transform/waiting.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>
#include <memory>

using namespace llvm;

namespace heddle {
namespace {

constexpr const char* stale_hint = "the plan does not fit this build: make it again with `heddle plan`";

// One context of the plan that holds sites, in the module.
struct Placed {
  Function* function = nullptr;
  std::unique_ptr<ValueToValueMapTy> copies; // from blocks of the prepared module; null when edited in place

  BasicBlock* block(const BasicBlock& original) const {
    if (copies == nullptr) return const_cast<BasicBlock*>(&original);
    return cast_or_null<BasicBlock>(copies->lookup(&original));
  }
};

class Staging {
public:
  Staging(Module& module, const BodyPlan& plan, const BlockTable& blocks, SiteMaker make_site,
          bool only_waits)
      : module_(module), plan_(plan), blocks_(blocks), make_site_(make_site), only_waits_(only_waits),
        copies_(module.getNamedGlobal("heddle_scratch_size") != nullptr) {}

  Expected<StagingResult> run() {
    if (Error error = match_body()) return error;
    if (Error error = match_sites()) return error;
    for (uint32_t context = 1; context < plan_.contexts.size(); ++context)
      if (holds_sites_[context])
        if (Error error = open(context)) return error;
    if (Error error = insert_sites()) return error;
    return result_;
  }

private:
  Error stale(const Twine& what) const { return diagnose(what, stale_hint, plan_.body); }

  Error match_body() {
    Function* body = module_.getFunction(plan_.body);
    if (body == nullptr || body->isDeclaration())
      return stale("the plan names the packet body " + plan_.body + ", which the program does not have");
    placed_.resize(std::max<size_t>(plan_.contexts.size(), 1));
    holds_sites_.resize(placed_.size());
    placed_[0].function = body;
    return Error::success();
  }

  // Which contexts hold sites, in them or below.
  Error match_sites() {
    for (size_t i = 1; i < plan_.contexts.size(); ++i)
      if (plan_.contexts[i].parent >= i)
        return stale("context " + Twine(i) + " of the plan is not below an earlier one");
    for (const PlannedSite& site : plan_.sites) {
      if (site.context >= placed_.size())
        return stale("a site of the plan is in context " + Twine(site.context) + ", which it does not list");
      if (site.stage == 0) return stale("a site of the plan has stage 0; the first cut is stage 1");
      holds_sites_[site.context] = true;
    }
    // An address is followed through all functions with expensive loads (analysis/companions.h).
    if (only_waits_ && any_of(plan_.loads, [](const PlannedLoad& load) { return !load.with.empty(); }))
      for (const PlannedLoad& load : plan_.loads)
        if (load.context < placed_.size() && joins(load.context)) holds_sites_[load.context] = true;
    for (size_t i = plan_.contexts.size(); i-- > 1;)
      if (holds_sites_[i]) holds_sites_[plan_.contexts[i].parent] = true;
    return Error::success();
  }

  // Can the context's function become part of the body's?
  bool joins(uint32_t context) const {
    for (; context != 0; context = plan_.contexts[context].parent) {
      const CutContext& of = plan_.contexts[context];
      const Function* callee = module_.getFunction(of.function);
      const Function* caller =
          of.parent == 0 ? placed_[0].function : module_.getFunction(plan_.contexts[of.parent].function);
      if (!callee || !caller || callee->isDeclaration() || !can_be_inlined(*callee, *caller)) return false;
    }
    return true;
  }

  // The block of a context that stands for block `id` of the prepared module.
  Expected<BasicBlock*> find_block(uint32_t context, uint32_t id) const {
    if (id < blocks_.size())
      if (BasicBlock* block = placed_[context].block(*blocks_.block(id)))
        if (block->getParent() == placed_[context].function) return block;
    return stale("block " + Twine(id) + " is not in " + placed_[context].function->getName());
  }

  Error open(uint32_t number) {
    const CutContext& context = plan_.contexts[number];
    auto block = find_block(context.parent, context.call_block);
    if (!block) return block.takeError();
    CallBase* call = ending_call(**block);
    Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee == nullptr || callee->isDeclaration() || callee->getName() != context.function)
      return stale("block " + Twine(context.call_block) + " does not end with a call of " + context.function);

    Placed& placed = placed_[number];
    if (callee->hasLocalLinkage() && callee->hasOneUse()) {
      placed.function = callee;
      ++result_.in_place;
    } else {
      placed.copies = std::make_unique<ValueToValueMapTy>();
      placed.function = CloneFunction(callee, *placed.copies);
      placed.function->setName(callee->getName() + ".heddle.ctx" + Twine(number));
      placed.function->setComdat(nullptr);
      placed.function->setLinkage(GlobalValue::InternalLinkage);
      call->setCalledFunction(placed.function);
      ++result_.cloned;
    }
    forget_conclusions(*placed.function);
    forget_conclusions(*call);
    mark_context(*placed.function);
    return Error::success();
  }

  using HiddenLoads = SmallDenseMap<const BasicBlock*, unsigned, 8>; // blocks, and PlannedLoad::lanes

  // Prefetches, and where they stand.
  Expected<HiddenLoads> hide_loads() {
    HiddenLoads hidden;
    for (const PlannedLoad& load : plan_.loads) {
      if (!load.hidden || !only_waits_) continue;
      if (load.context >= placed_.size() || !placed_[load.context].function)
        return stale("a load of the plan is in context " + Twine(load.context) + ", which holds no site");
      auto block = find_block(load.context, load.block);
      if (!block) return block.takeError();
      const CallBase* mark = expensive_load_of(**block);
      if (!mark) return stale("block " + Twine(load.block) + " ends with no expensive load");
      for (uint32_t with : load.with)
        if (Error error = put_along(load, const_cast<CallBase&>(*mark), with)) return std::move(error);
      if (!load.with.empty()) continue;
      if (load.lanes == 0) hide_expensive(**block, load.into);
      hidden[*block] = load.lanes;
    }
    return hidden;
  }

  // A load that is fetched where packets step aside for another one.
  Error put_along(const PlannedLoad& load, CallBase& mark, uint32_t with) const {
    if (with >= plan_.loads.size() || plan_.loads[with].context >= placed_.size() ||
        !placed_[plan_.loads[with].context].function)
      return stale("a load is fetched along with number " + Twine(with) + ", which the plan does not have");
    auto block = find_block(plan_.loads[with].context, plan_.loads[with].block);
    if (!block) return block.takeError();
    const CallBase* at = expensive_load_of(**block);
    if (!at) return stale("block " + Twine(plan_.loads[with].block) + " ends with no expensive load");
    mark_along(mark, const_cast<CallBase&>(*at), load.into);
    return Error::success();
  }

  // Of a body that is interleaved: a packet steps aside behind a load, and before a stage that is ordered.
  bool is_wait(const BasicBlock& from, unsigned stage, const HiddenLoads& hidden) const {
    return hidden.contains(&from) || stage >= plan_.stages.size() || plan_.stages[stage].ordered;
  }

  Error insert_sites() {
    auto hidden = hide_loads();
    if (!hidden) return hidden.takeError();
    // Several sites on one edge are one of the highest stage: whoever gets there has finished all before it.
    SiteEdges edges;
    unsigned in_lanes = 0;
    for (const PlannedSite& site : plan_.sites) {
      auto from = find_block(site.context, site.from);
      if (!from) return from.takeError();
      auto to = find_block(site.context, site.to);
      if (!to) return to.takeError();
      std::string edge = "the edge from block " + std::to_string(site.from) + " to block " +
                         std::to_string(site.to) + " of " + placed_[site.context].function->getName().str();
      if (!has_edge(**from, **to)) return stale(edge + " does not exist");
      if (!edge_takes_site(**from, **to))
        return diagnose(edge + " cannot hold a site", "move the site to another edge of the cut", site.at);
      if (only_waits_ && !is_wait(**from, site.stage, *hidden)) continue;
      const unsigned lanes = hidden->lookup(*from);
      if (lanes != 0 && site.stage < plan_.stages.size() && !plan_.stages[site.stage].ordered) {
        insert_lanes(**from, **to, site.stage, lanes);
        ++in_lanes;
        continue;
      }
      unsigned& stage = edges[{*from, *to}];
      stage = std::max(stage, site.stage);
    }
    result_.possible = unsigned(edges.size()) + in_lanes;
    result_.sites = in_lanes;
    if (result_.possible != 0) forget_conclusions(*placed_[0].function);
    join_edges(edges);
    for (auto& [edge, stage] : edges) {
      make_site_(*edge.first, *edge.second, stage, {copies_, plan_.own_errno});
      ++result_.sites;
    }
    return Error::success();
  }

  using SiteEdges = MapVector<std::pair<BasicBlock*, BasicBlock*>, unsigned>;

  // Edges into one block that enter the same stage share a site: a site is some hundred bytes of code, and a
  // cut through branchy code crosses many edges that meet again.
  static void join_edges(SiteEdges& edges) {
    MapVector<std::pair<BasicBlock*, unsigned>, SmallVector<BasicBlock*, 4>> meeting;
    for (auto& [edge, stage] : edges)
      meeting[{edge.second, stage}].push_back(edge.first);
    edges.clear();
    for (auto& [target, from] : meeting) {
      auto [to, stage] = target;
      BasicBlock* last = from.size() == 1 ? from.front() : SplitBlockPredecessors(to, from, ".cut");
      edges[{last, to}] = stage;
    }
  }

  Module& module_;
  const BodyPlan& plan_;
  const BlockTable& blocks_;
  SiteMaker make_site_;
  const bool only_waits_; // the body is interleaved
  const bool copies_;     // does any body of the program have scratch variables?
  std::vector<Placed> placed_;
  std::vector<bool> holds_sites_;
  StagingResult result_;
};

} // namespace

Expected<StagingResult> apply_plan(Module& module, const BodyPlan& plan, const BlockTable& blocks,
                                   SiteMaker make_site, bool only_waits) {
  auto result = Staging(module, plan, blocks, make_site, only_waits).run();
  if (!result) return result;
  std::string problems;
  raw_string_ostream out(problems);
  if (verifyModule(module, &out))
    return diagnose("staging made code that LLVM's verifier rejects: " + problems,
                    "this is an error in Heddle: report it with the plan", plan.body);
  return result;
}

Error stage_module(Module& module, const Plan& plan, SiteMaker make_site, Interleaved interleaved) {
  const bool waits = interleaved == Interleaved::InOneFunction;
  BlockTable blocks(module);
  std::vector<const BodyPlan*> staged;
  for (const BodyPlan& body : plan.bodies)
    if (!body.sites.empty()) staged.push_back(&body);
  if (Error error = defer_output(module, staged, blocks)) return error;
  if (Error error = privatize_scratch(module, staged)) return error;
  std::vector<BlockId> gates; // before anything is copied; of all bodies together, each once
  for (const BodyPlan* body : staged)
    append_range(gates, body->gates);
  sort(gates);
  gates.erase(llvm::unique(gates), gates.end());
  if (Error error = insert_gates(module, gates, blocks)) return error;
  for (const BodyPlan& body : plan.bodies) {
    const bool only_waits = waits && body.interleaved;
    auto applied =
        apply_plan(module, body, blocks, only_waits ? SiteMaker(insert_wait) : make_site, only_waits);
    if (!applied) return applied.takeError();
  }
  if (waits ? plan.needs_stacks() : plan.stages_anything()) {
    finish_before_leaving(module);
    finish_before_waiting(module);
    install_handlers_through_runtime(module);
  }
  define_schedules(module, plan, interleaved);
  if (any_of(staged, [](const BodyPlan* body) { return !body->deferred.empty(); }))
    make_output_before_aborts(module);
  return Error::success();
}

} // namespace heddle

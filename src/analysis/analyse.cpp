#include "analysis/analyse.h"

#include "analysis/companions.h"
#include "analysis/external_models.h"
#include "analysis/induction.h"
#include "analysis/interleavable.h"
#include "analysis/location_names.h"
#include "analysis/locks.h"
#include "analysis/rarity.h"
#include "program/claims.h"
#include "program/declared_output.h"
#include "program/deferrable.h"
#include "program/expensive.h"
#include "program/inlining.h"
#include "program/modelled.h"
#include "support/progress.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <set>

namespace heddle {

namespace {

// Nodes of common code with a closed call that may enter rare code.
void mark_rare_inside(CutGraph& result, const BodyGraph& graph, const Effects& effects,
                      const Rarity& rarity) {
  llvm::DenseMap<const llvm::Function*, bool> has_rare;
  auto function_has_rare = [&](const llvm::Function* function) {
    auto [it, fresh] = has_rare.try_emplace(function, false);
    if (fresh) it->second = llvm::any_of(*function, rarity);
    return it->second;
  };
  llvm::DenseMap<const llvm::Function*, bool> reaches_rare;
  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    if (graph.nodes[n].rare) continue;
    for (const llvm::CallBase* call : graph.nodes[n].closed_calls)
      for (const llvm::Function* callee : effects.points_to().callees(*call)) {
        auto [it, fresh] = reaches_rare.try_emplace(callee, false);
        if (fresh) it->second = llvm::any_of(effects.reach(*callee), function_has_rare);
        result.nodes[n].rare_inside |= it->second;
      }
  }
}

CutGraph describe_graph(const BodyGraph& graph, const PacketBody& body, const BlockTable& blocks) {
  CutGraph result;
  result.body = body.body->getName().str();
  result.entry = graph.entry;
  result.exits = graph.exits;
  for (const BodyContext& context : graph.contexts)
    result.contexts.push_back({context.parent, context.call ? blocks.id(context.call->getParent()) : 0,
                               context.function->getName().str()});
  for (const BodyNode& node : graph.nodes) {
    CutNode& added = result.nodes.emplace_back();
    added.context = node.context;
    added.block = blocks.id(node.block);
    added.function = source_name(*node.block->getParent()).str();
    added.rare = node.rare;
    if (const llvm::CallBase* load = expensive_load_of(*node.block)) {
      added.expensive = true;
      added.load_at = location_of(*load).str();
      added.opened_load = opened_load_of(*load).value_or(added.opened_load);
    }
    for (const llvm::Instruction& instruction : *node.block)
      if (SourceLocation at = location_of(instruction); at.line) {
        added.at = at.str();
        break;
      }
  }
  for (const BodyEdge& edge : graph.edges)
    result.edges.push_back({edge.from, edge.to, edge.site_possible, edge.site_context,
                            edge.site_from ? blocks.id(edge.site_from) : 0,
                            edge.site_to ? blocks.id(edge.site_to) : 0, 0});
  return result;
}

// Contexts come after their parents.
void mark_joining(CutGraph& result, const BodyGraph& graph) {
  for (size_t c = 1; c != graph.contexts.size(); ++c) {
    const BodyContext& context = graph.contexts[c];
    result.contexts[c].joins = result.contexts[context.parent].joins &&
                               can_be_inlined(*context.function, *graph.contexts[context.parent].function);
  }
}

// The code that a node stands for, run or not: its block, and all that its closed calls may reach.
void add_static_lines(CutGraph& result, const BodyGraph& graph, const Effects& effects,
                      const BlockTable& blocks, const std::function<double(BlockId)>& code_lines) {
  llvm::DenseMap<const llvm::Function*, double> of_function;
  auto function_lines = [&](const llvm::Function* function) {
    auto [it, fresh] = of_function.try_emplace(function, 0);
    if (fresh)
      for (const llvm::BasicBlock& block : *function)
        it->second += code_lines(blocks.id(&block));
    return it->second;
  };
  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    double& lines = result.nodes[n].static_lines;
    lines = code_lines(result.nodes[n].block);
    llvm::DenseSet<const llvm::Function*> reached;
    for (const llvm::CallBase* call : graph.nodes[n].closed_calls)
      for (const llvm::Function* callee : effects.points_to().callees(*call))
        reached.insert(effects.reach(*callee).begin(), effects.reach(*callee).end());
    for (const llvm::Function* function : reached)
      lines += function_lines(function);
  }
}

std::vector<Remark> assumptions(const PointsTo& points_to) {
  std::vector<Remark> remarks;
  auto add = [&](llvm::ArrayRef<PointsToReport::Entry> entries, llvm::StringRef code, llvm::StringRef hint) {
    std::set<std::pair<std::string, std::string>> said; // inlining makes several of one
    for (const auto& entry : entries)
      if (said.insert({entry.at, entry.what}).second)
        remarks.push_back({code.str(), entry.at, entry.what, hint.str()});
  };
  const PointsToReport& report = points_to.report();
  add(report.unknown_externals, "unknown-external",
      "assumed to touch whatever it can reach; build it with heddle cc and link it statically to have it "
      "analysed");
  add(report.inline_assembly, "inline-assembly", "assumed to touch whatever its operands reach");
  add(report.integer_to_pointer, "integer-to-pointer",
      "assumed to point to any object whose address was cast");
  return remarks;
}

// Where the body uses a pointer to which nothing is known to be assigned (effects_calls.h).
void add_untraced(std::vector<Remark>& remarks, const llvm::Function& body, const Effects& effects) {
  ObjectId untraced = effects.points_to().system_object(SystemLocation::Untraced);
  for (const llvm::Function* function : effects.reach(body))
    for (const llvm::BasicBlock& block : *function)
      for (const llvm::Instruction& instruction : block)
        if (llvm::any_of(effects.of(instruction), [=](const Access& a) { return a.object == untraced; }))
          remarks.push_back(
              {"untraced-pointer", source_of(&instruction),
               "in " + source_name(*function).str() + ": no assignment to this pointer is known",
               "assumed to reach every shared location; if the program sets it (in assembly, in a "
               "shared library), build that part with heddle cc, else remove the dead code"});
}

// Twins are worth a second points-to run only where received packets get into shared memory at all.
bool packets_get_published(const Program& program, const PointsTo& points_to, const Effects& effects,
                           llvm::ArrayRef<ObjectSet> own_arrays) {
  for (size_t b = 0; b != program.bodies.size(); ++b) {
    Sharing sharing(*program.bodies[b].body, effects, own_arrays[b]);
    for (const MemoryObject& object : points_to.objects())
      if (object.kind == ObjectKind::Packet && sharing.is_shared(object.id)) return true;
  }
  return false;
}

std::unique_ptr<PointsTo> run_with_twins(const Program& program, const PointsToOptions& options,
                                         const PointsTo& first, llvm::ArrayRef<ObjectSet> own_arrays) {
  // Sites of the receive arrays: objects are numbered anew in the second run.
  llvm::DenseSet<const llvm::Value*> arrays;
  for (const ObjectSet& set : own_arrays)
    for (unsigned object : set)
      arrays.insert(first.objects()[object].site);
  llvm::DenseSet<const llvm::Function*> body_functions;
  {
    Effects effects(first);
    for (const PacketBody& body : program.bodies) {
      const auto& reach = effects.reach(*body.body);
      body_functions.insert(reach.begin(), reach.end());
    }
  }
  PointsToOptions with_twins = options;
  with_twins.twin = [](const MemoryObject& object) { return object.kind == ObjectKind::Packet; };
  with_twins.shared = [=](const MemoryObject& object) {
    return !made_per_packet(object, body_functions) && !arrays.contains(object.site);
  };
  return PointsTo::run(*program.module, with_twins);
}

// Does the body store pointers through a twin? Then what a packet's owner loads from it afterwards is not
// fully known (constraints.cpp, add_twin), and the plain result has to do.
bool twins_are_written(const Program& program, const Effects& effects) {
  const PointsTo& points_to = effects.points_to();
  for (const PacketBody& body : program.bodies)
    for (const llvm::Function* function : effects.reach(*body.body))
      for (const llvm::BasicBlock& block : *function)
        for (const llvm::Instruction& instruction : block) {
          const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
          if (!store || points_to.points_to(store->getValueOperand()).empty()) continue;
          for (unsigned object : points_to.objects_pointed_to(store->getPointerOperand()))
            if (points_to.objects()[object].twin_of) return true;
        }
  return false;
}

llvm::Error check_allocators(const llvm::Module& module, const Declarations& declarations) {
  for (const Declaration& declaration : declarations.all) {
    if (declaration.kind != "allocators") continue;
    for (const llvm::Function& function : module) {
      auto name = llvm::find(declaration.names, declared_name(function));
      if (function.isDeclaration() || name == declaration.names.end()) continue;
      if (!function.getReturnType()->isPointerTy())
        return diagnose("'" + *name + "' is declared to return fresh memory, and it returns no pointer",
                        "declare the function that returns the memory",
                        declarations.place(declaration, size_t(name - declaration.names.begin())));
    }
  }
  return llvm::Error::success();
}

void add_unused_key(Analysis& analysis, const Declarations& declarations, const Declaration& declaration) {
  const unsigned number = claim_number(declarations, declaration);
  auto used = [&](const CutGraph& graph) {
    return llvm::any_of(graph.keys, [&](const CutKey& key) { return key.number == number; });
  };
  if (llvm::any_of(analysis.graphs, used)) return;
  analysis.remarks.push_back(
      {"unused-key", declarations.place(declaration), "no location is keyed by " + declaration.names.front(),
       "packets have to claim the key before they touch the location, on every way: `heddle plan --explain` "
       "says for each window what does not"});
}

// Locations that are declared and that no packet body has, or that are free for another reason.
void add_unused_declarations(Analysis& analysis, const Declarations& declarations) {
  for (const Declaration& declaration : declarations.all) {
    auto freed = [&](const SharedLocation& location) {
      const bool by_it = location.verdict == declaration.kind ||
                         (location.verdict == "errno" && declaration.kind == "scratch");
      if (declaration.is_of_all_memory()) return by_it;
      if (!declaration.make.empty())
        return by_it && llvm::StringRef(location.name).contains(declaration.names.front());
      return by_it && is_meant(declaration, location.name, location.object);
    };
    if (declaration.kind == "keyed") add_unused_key(analysis, declarations, declaration);
    auto used = [&](const CutGraph& graph) { return llvm::any_of(graph.locations, freed); };
    const bool frees = declaration.kind == "declared" || declaration.kind == "scratch";
    if (!frees || llvm::any_of(analysis.graphs, used)) continue;
    analysis.remarks.push_back({"unused-declaration", declarations.place(declaration),
                                declaration.make.empty()
                                    ? "no window is called '" + declaration.names.front() + "'"
                                    : "no packet reads the pointer '" + declaration.names.front() + "'",
                                "give the name as `heddle plan --explain` prints it, or remove the line"});
  }
}

// Functions of [[output]] that no packet runs.
void add_unused_output(Analysis& analysis, const Program& program, const Declarations& declarations,
                       const Effects& effects) {
  std::vector<const llvm::CallBase*> reached;
  for (const PacketBody& body : program.bodies)
    for (const llvm::Function* function : effects.reach(*body.body))
      for (const llvm::Instruction& instruction : llvm::instructions(*function))
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            call && is_declared_output(*call))
          reached.push_back(call);
  size_t number = 0;
  for (const Declaration& declaration : declarations.all) {
    if (declaration.kind != "output") continue;
    const size_t its = number++;
    if (llvm::any_of(reached, [&](const llvm::CallBase* call) { return is_output_of(*call, its); })) continue;
    analysis.remarks.push_back({"unused-declaration", declarations.place(declaration),
                                "no packet runs the output of " + declaration.names.front(),
                                "name a function that packets run, or remove the line"});
  }
}

std::vector<ObjectSet> find_own_arrays(const Program& program, const Effects& effects) {
  std::vector<ObjectSet> result;
  for (const PacketBody& body : program.bodies)
    result.push_back(body.is_callback() ? ObjectSet() : own_element_arrays(*body.body, effects));
  return result;
}

// A call that one body can keep and another cannot has to be made where it is in both. Adds such calls to `fixed`;
// true if there are any.
bool add_disputed(const Program& program, const Effects& effects, const std::vector<Locations>& found,
                  llvm::DenseSet<const llvm::CallBase*>& fixed) {
  const size_t before = fixed.size();
  for (size_t b = 0; b != found.size(); ++b) {
    const auto& reach = effects.reach(*program.bodies[b].body);
    llvm::DenseSet<const llvm::Function*> reached(reach.begin(), reach.end());
    for (const Locations& other : found)
      for (const llvm::CallBase* call : other.kept)
        if (reached.contains(call->getFunction()) && !llvm::is_contained(found[b].kept, call))
          fixed.insert(call);
  }
  return fixed.size() != before;
}

// A variable of which one body can have copies and another, which touches it, cannot. Adds such to `not_scratch`; true if
// there are any.
bool add_contested(const Program& program, const Effects& effects, const std::vector<Locations>& found,
                   llvm::DenseSet<const llvm::Value*>& not_scratch) {
  const size_t before = not_scratch.size();
  for (const Locations& locations : found)
    for (const llvm::Value* site : locations.scratch_sites)
      for (size_t b = 0; b != found.size(); ++b) {
        auto touches = [&](const Access& access) {
          return effects.points_to().objects()[access.object].site == site;
        };
        if (!llvm::is_contained(found[b].scratch_sites, site) &&
            llvm::any_of(effects.summary(*program.bodies[b].body), touches))
          not_scratch.insert(site);
      }
  return not_scratch.size() != before;
}

void describe_roots(CutGraph& result, const Locations& found, const BlockTable& blocks) {
  for (const auto& [location, roots] : found.roots)
    for (const llvm::Instruction* root : roots)
      result.locations[location].roots.push_back(
          {blocks.id(root->getParent()),
           uint32_t(std::distance(root->getParent()->begin(), root->getIterator())),
           blocks.id(place_of_claim(*root).getParent()), source_name(*root->getFunction()).str(),
           location_of(*root).str()});
}

void describe_kept(CutGraph& result, llvm::ArrayRef<const llvm::CallBase*> kept, const BlockTable& blocks) {
  for (const llvm::CallBase* call : kept)
    result.deferred.push_back({blocks.id(call->getParent()), number_in_block(*call),
                               call->getCalledFunction()->getName().str(), location_of(*call).str()});
}

} // namespace

llvm::Expected<Analysis> analyse(const Program& program, const BlockTable& blocks,
                                 const AnalysisOptions& options) {
  Analysis result;
  const Declarations& declarations = options.locations.declarations;
  if (llvm::Error error = check_models(*program.module)) return std::move(error);
  if (llvm::Error error = check_allocators(*program.module, declarations)) return std::move(error);
  PointsToOptions points_to_options = options.points_to;
  for (const Declaration& declaration : declarations.all)
    if (declaration.kind == "allocators") llvm::append_range(points_to_options.allocators, declaration.names);
  points_to_options.own_objects =
      !options.locations.without.contains("scratch") &&
      llvm::any_of(declarations.all, [](const Declaration& d) { return !d.make.empty(); });
  progress_at("what pointers may point to");
  result.points_to = PointsTo::run(*program.module, points_to_options);
  CommutingGroups groups;
  if (!options.locations.without.contains("commuting"))
    groups = CommutingGroups(program, declarations, *result.points_to, result.remarks);
  Rarity rarity(program, blocks, *result.points_to, groups, options.rare);
  progress_at("what functions touch");
  const bool output_declared =
      !options.locations.without.contains("deferred-output") &&
      llvm::any_of(declarations.all, [](const Declaration& d) { return d.kind == "output"; });
  auto effects = std::make_unique<Effects>(*result.points_to, rarity, &groups, output_declared);
  std::vector<ObjectSet> own_arrays = find_own_arrays(program, *effects);
  if (packets_get_published(program, *result.points_to, *effects, own_arrays)) {
    auto with_twins = run_with_twins(program, points_to_options, *result.points_to, own_arrays);
    auto effects_with_twins = std::make_unique<Effects>(*with_twins, rarity, &groups, output_declared);
    if (!twins_are_written(program, *effects_with_twins)) {
      effects = std::move(effects_with_twins);
      result.points_to = std::move(with_twins);
      own_arrays = find_own_arrays(program, *effects);
    }
  }
  OpenOptions open;
  open.opaque = [&](const llvm::Function& function) {
    return is_opaque(function) || groups.of(function) ||
           llvm::is_contained(points_to_options.allocators, declared_name(function));
  };
  open.rare = rarity;
  open.joined = [&](const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
    return effects->update_between(from, to);
  };
  const llvm::DenseSet<const llvm::Function*> claiming = functions_that_claim(*program.module);
  auto leads_to_claim = [&](const llvm::BasicBlock& block) {
    const llvm::CallBase* call = ending_call(block);
    return call && claiming.contains(call->getCalledFunction());
  };
  if (options.hot)
    open.hot = [&](const llvm::BasicBlock* block) {
      return options.hot(blocks.id(block)) || leads_to_claim(*block);
    };
  progress_at("what a packet may run");
  std::vector<BodyGraph> body_graphs;
  for (const PacketBody& body : program.bodies)
    body_graphs.push_back(build_body_graph(*body.body, open));
  std::vector<Locations> found;
  LocationOptions locations = options.locations;
  locations.groups = &groups;
  for (const PacketBody& body : program.bodies)
    locations.bodies.push_back(body.body);
  if (options.spans)
    locations.spans = [&](const llvm::BasicBlock* block) { return options.spans(blocks.id(block)); };
  std::vector<std::string> locks_obstacles(body_graphs.size(), "the relaxation is off");
  if (!locations.without.contains("lock"))
    for (size_t b = 0; b != body_graphs.size(); ++b) {
      Locks locks(body_graphs[b], *effects, rarity);
      locks_obstacles[b] = locks.obstacle();
      for (uint32_t edge : locks.held_on())
        body_graphs[b].edges[edge].site_possible = false;
    }
  std::vector<Keys> keys;
  std::vector<AccessTable> tables;
  std::vector<InferredKeys> inferred;
  for (size_t b = 0; b != body_graphs.size(); ++b) {
    keys.emplace_back(body_graphs[b], *effects, rarity, locations.bodies);
    tables.emplace_back(body_graphs[b], *effects, locations.spans);
    if (!locations.without.contains("keyed"))
      inferred.emplace_back(*program.bodies[b].body, locations.bodies, *effects);
  }
  progress_at("what packets share");
  do {
    found.clear();
    for (size_t b = 0; b != program.bodies.size(); ++b) {
      locations.locks_obstacle = locks_obstacles[b];
      locations.keys = &keys[b];
      locations.inferred = inferred.empty() ? nullptr : &inferred[b];
      Sharing sharing(*program.bodies[b].body, *effects, own_arrays[b]);
      found.push_back(
          find_locations(body_graphs[b], program.bodies[b], *effects, tables[b], sharing, locations));
    }
  } while (add_disputed(program, *effects, found, locations.fixed) ||
           add_contested(program, *effects, found, locations.not_scratch));
  for (size_t b = 0; b != program.bodies.size(); ++b) {
    const PacketBody& body = program.bodies[b];
    const BodyGraph& graph = body_graphs[b];
    CutGraph& described = result.graphs.emplace_back(describe_graph(graph, body, blocks));
    described.gates = rarity.gates(effects->reach(*body.body));
    mark_rare_inside(described, graph, *effects, rarity);
    if (options.code_lines) add_static_lines(described, graph, *effects, blocks, options.code_lines);
    described.locations = std::move(found[b].all);
    describe_roots(described, found[b], blocks);
    describe_kept(described, found[b].kept, blocks);
    described.scratch = std::move(found[b].scratch);
    described.own_errno = found[b].own_errno;
    described.keys = std::move(found[b].keys);
    described.not_interleaved = why_not_interleaved(body, graph, *effects);
    mark_joining(described, graph);
    described.companions = find_companions(graph, described);
    add_untraced(result.remarks, *body.body, *effects);
    if (graph.truncated)
      result.remarks.push_back({"body-too-large", body.loop_at.str(),
                                "the call tree of the packet body is larger than the graph may grow",
                                "some calls were kept whole; name a smaller body with --body"});
  }
  add_unused_declarations(result, declarations);
  add_unused_output(result, program, declarations, *effects);
  for (Remark& remark : assumptions(*result.points_to))
    result.remarks.push_back(std::move(remark));
  return result;
}

} // namespace heddle

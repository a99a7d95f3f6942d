// Makes illegal plans out of a legal one: each cut is moved by one block, or by one loop, so that it divides a window
// that it stood beside; or a gate in front of rare code is left out, or the order of packets with one key in a range of
// stages, or that of all packets in a stage. Control flow stays in order and every site has its place, so the mutant
// looks like a plan that `heddle plan` could have made with one window less; its digest says that it was checked. Judged by tests/mutate/run.
//
// usage: mutate PROGRAM WORK FOLDER MOST SEED: at most MOST mutants, drawn by SEED, of WORK/plan.json into
// FOLDER/<n>.json; a line of text for each.
#include "plan/condense.h"
#include "plan/openings.h"
#include "plan/plan.h"
#include "plan/sites.h"
#include "plan/study.h"
#include "profile/trace.h"
#include "program/program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <random>
#include <set>

using namespace heddle;

namespace {

struct Mutant {
  size_t body = 0;
  BodyPlan plan;
  std::string what;
};

// Each gate left out in turn.
std::vector<Mutant> without_gates(const BodyPlan& plan, size_t body) {
  std::vector<Mutant> mutants;
  for (size_t i = 0; i < plan.gates.size(); ++i) {
    Mutant mutant{body, plan, "without the gate at block " + std::to_string(plan.gates[i])};
    mutant.plan.gates.erase(mutant.plan.gates.begin() + ptrdiff_t(i));
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

// Each key's range left out, and each ordered stage made free.
std::vector<Mutant> without_order(const BodyPlan& plan, size_t body) {
  std::vector<Mutant> mutants;
  for (size_t i = 0; i < plan.keys.size(); ++i) {
    Mutant mutant{body, plan,
                  "without " + plan.keys[i].name + " from stage " + std::to_string(plan.keys[i].first)};
    mutant.plan.keys.erase(mutant.plan.keys.begin() + ptrdiff_t(i));
    mutants.push_back(std::move(mutant));
  }
  for (size_t s = 1; !plan.keys.empty() && s < plan.stages.size(); ++s) {
    if (!plan.stages[s].ordered) continue;
    Mutant mutant{body, plan, "with stage " + std::to_string(s) + " free"};
    mutant.plan.stages[s].ordered = false;
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

// A cut moved, in every way.
class Mutator {
public:
  Mutator(const CutGraph& graph, const BodyPlan& plan, std::vector<unsigned> stages, size_t body)
      : graph_(graph), plan_(plan), stages_(std::move(stages)), body_(body) {
    CutGraph plain = graph;
    plain.locations.clear();
    loops_ = condense(plain);
  }

  std::vector<Mutant> all() {
    std::vector<Mutant> mutants;
    for (uint32_t group = 0; group < loops_.groups.size(); ++group)
      for (bool up : {false, true})
        if (auto mutant = move(group, up)) mutants.push_back(std::move(*mutant));
    return mutants;
  }

private:
  bool same_group(const std::vector<uint32_t>& nodes) const {
    return llvm::all_of(nodes, [&](uint32_t n) { return stages_[n] == stages_[nodes.front()]; });
  }

  // One block, or loop, into the stage before its own or behind it, across the cut that it stands at.
  std::optional<Mutant> move(uint32_t group, bool up) const {
    const CutGroup& moved = loops_.groups[group];
    if (moved.visits == 0 || !same_group(moved.nodes)) return std::nullopt;
    if (llvm::any_of(moved.nodes, [&](uint32_t n) { return graph_.nodes[n].rare || n == graph_.entry; }))
      return std::nullopt;
    const unsigned from = stages_[moved.nodes.front()];
    std::optional<unsigned> to = neighbour(moved, up);
    if (!to || *to == from || !divides_a_window(moved)) return std::nullopt;
    std::vector<unsigned> stages = stages_;
    for (uint32_t n : moved.nodes)
      stages[n] = *to;
    if (!in_order(stages)) return std::nullopt;
    const CutNode& node = graph_.nodes[moved.nodes.front()];
    Mutant mutant{body_, plan_,
                  node.function + " at " + node.at + " from stage " + std::to_string(from) + " to " +
                      std::to_string(*to)};
    mutant.plan.sites = sites_of(graph_, stages);
    return mutant;
  }

  // The stage on the other side of a cut that lies directly before or behind the group.
  std::optional<unsigned> neighbour(const CutGroup& moved, bool up) const {
    const unsigned from = stages_[moved.nodes.front()];
    std::optional<unsigned> found;
    for (uint32_t link : up ? moved.out : moved.in) {
      const CutLink& edge = loops_.links[link];
      const unsigned other = stages_[loops_.groups[up ? edge.to : edge.from].nodes.front()];
      if (other == from) return std::nullopt; // not at the cut: its neighbour is in its own stage
      if (!found || (up ? other < *found : other > *found)) found = other;
    }
    return found;
  }

  // Is there an access to a location with a window in the group, and another one that stays where it is?
  bool divides_a_window(const CutGroup& moved) const {
    const std::set<uint32_t> inside(moved.nodes.begin(), moved.nodes.end());
    const unsigned from = stages_[moved.nodes.front()];
    return llvm::any_of(graph_.locations, [&](const SharedLocation& location) {
      if (location.verdict != "window") return false;
      bool moves = false, stays = false;
      for (const LocationAccess& access : location.accesses) {
        if (access.rare) continue;
        const bool mine = inside.contains(access.node);
        moves |= mine;
        stays |= !mine && stages_[access.node] == from;
      }
      return moves && stays;
    });
  }

  // Stages never fall along an edge, and rise only where a site can stand.
  bool in_order(const std::vector<unsigned>& stages) const {
    return llvm::all_of(graph_.edges, [&](const CutEdge& edge) {
      if (stages[edge.from] > stages[edge.to]) return false;
      const bool rare = graph_.nodes[edge.from].rare || graph_.nodes[edge.to].rare;
      return stages[edge.from] == stages[edge.to] || edge.site_possible || rare;
    });
  }

  const CutGraph& graph_;
  const BodyPlan& plan_;
  std::vector<unsigned> stages_;
  size_t body_;
  Condensed loops_; // of control flow alone
};

llvm::Error run(const std::string& path, const std::string& work, const std::string& folder, size_t most,
                unsigned seed) {
  auto image = load_image(path);
  if (!image) return image.takeError();
  auto program = load_program(work + "/prepared.bc");
  if (!program) return program.takeError();
  auto plan = read_plan(work + "/plan.json");
  if (!plan) return plan.takeError();
  auto trace = read_trace(work + "/profile.hprof", program->id);
  if (!trace) return trace.takeError();
  if (llvm::Error error = open_traced(*program, *trace, plan->openings)) return error;
  auto study = study_program(*image, *program, *trace, study_options_of(*plan));
  if (!study) return study.takeError();

  std::vector<Mutant> mutants;
  for (size_t body = 0; body < study->graphs.size(); ++body) {
    if (plan->bodies[body].sites.empty()) continue;
    auto stages = stages_of(study->graphs[body], plan->bodies[body].sites, plan->bodies[body].loads);
    if (!stages) return stages.takeError();
    llvm::append_range(mutants, Mutator(study->graphs[body], plan->bodies[body], *stages, body).all());
    llvm::append_range(mutants, without_gates(plan->bodies[body], body));
    llvm::append_range(mutants, without_order(plan->bodies[body], body));
  }
  std::shuffle(mutants.begin(), mutants.end(), std::mt19937(seed));
  if (mutants.size() > most) mutants.resize(most);
  for (size_t i = 0; i < mutants.size(); ++i) {
    Plan mutant = *plan;
    mutant.bodies[mutants[i].body] = mutants[i].plan;
    mutant.checked = decisions_digest(mutant);
    if (llvm::Error error = write_plan(mutant, folder + "/" + std::to_string(i) + ".json")) return error;
    llvm::outs() << mutants[i].what << '\n';
  }
  return llvm::Error::success();
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    llvm::errs() << "usage: mutate PROGRAM WORK FOLDER MOST SEED\n";
    return 2;
  }
  unsigned most = 0, seed = 0;
  if (llvm::StringRef(argv[4]).getAsInteger(10, most) || llvm::StringRef(argv[5]).getAsInteger(10, seed))
    return 2;
  if (llvm::Error error = run(argv[1], argv[2], argv[3], most, seed)) {
    report(std::move(error));
    return 1;
  }
  return 0;
}

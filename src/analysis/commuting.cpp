// Operations that commute in meaning, though not in memory: inserting into a timer tree, taking from a free list.
//
// Problem. Two packets that both call add_timer() write the same nodes of the same tree, so the rule of windows
// (docs/design.md) puts all calls of all packets into one stage. No analysis of memory can say that the order of
// insertions does not matter; the user can. What the user states for a group of functions is: run as a whole,
// one after the other, calls of these may change places with calls of these, and what then differs in memory
// (`differs`) is seen by nobody.
//
// What Heddle has to keep for that is the rest of the sentence: as a whole, one after the other. A packet must not
// be suspended within a call of the group, and no other packet may run in the middle of one:
//   - such calls are never opened (analyse.cpp), and never inlined (program/pipeline.cpp), so no site lies within;
//   - nothing they may run is ever rare code, so no gate of a rare path lies within (rarity.h);
//   - what does not come back (exit, longjmp) gets a gate wherever it stands (transform/leaving.cpp), and a packet loop
//     has sites. A group that may run either is left out, with the remark commuting-group-not-atomic.
// A crash within a call (abort, a failed assertion) has no gate, so it needs nothing.
//
// Then two accesses that are both made within calls of one group are no conflict (locations.cpp). An access within a
// call and one outside conflict as ever: the outside one sees the middle of the structure, of which the user said
// nothing. Both must lie in one stage, and by the outside access so must all within that conflict with it. So a
// location touched within calls only is `commuting`, and any other has a window of the outside accesses and of
// those within that conflict with them. Two groups are as strange to each other as to the rest of the program;
// an access within nested calls of two groups is within both.
//
// A statement about calls says nothing of the system's state behind them. Output, locks, errno and the like
// conflict as if they were touched outside (effects.cpp), so a group that writes a log has the log's window.
#include "analysis/commuting.h"

#include "analysis/leaving_calls.h"
#include "program/modelled.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace heddle {

namespace {

// A call within which other packets may run; null if there is none.
const CallBase* call_that_lets_others_run(const Function& function) {
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    const Function* callee = call->getCalledFunction();
    if (callee && callee->isDeclaration() && callee->getName().starts_with("heddle_")) return call;
    if (leaves_without_return(*call)) return call;
  }
  return nullptr;
}

std::vector<const Function*> reach(ArrayRef<const Function*> roots, const PointsTo& points_to) {
  std::vector<const Function*> work(roots.begin(), roots.end());
  DenseSet<const Function*> seen(roots.begin(), roots.end());
  for (size_t i = 0; i != work.size(); ++i)
    for (const Instruction& instruction : instructions(*work[i]))
      if (const auto* call = dyn_cast<CallBase>(&instruction))
        for (const Function* callee : points_to.callees(*call))
          if (!callee->isDeclaration() && seen.insert(callee).second) work.push_back(callee);
  return work;
}

} // namespace

CommutingGroups::CommutingGroups(const Program& program, const Declarations& declarations,
                                 const PointsTo& points_to, std::vector<Remark>& remarks) {
  for (const Declaration& declaration : declarations.all) {
    if (declaration.kind != "commute") continue;
    const GroupSet group = GroupSet(1) << reasons_.size();
    const std::string place = declarations.place(declaration), names = join(declaration.names, ", ");
    reasons_.push_back(formatv("only used in calls of {0}, which commute ({1}; may differ: {2}): {3}", names,
                               place, declaration.differs, declaration.why));
    std::vector<const Function*> functions;
    for (const Function& function : *program.module)
      if (!function.isDeclaration() && is_contained(declaration.names, declared_name(function)))
        functions.push_back(&function);
    std::vector<const Function*> reached = heddle::reach(functions, points_to);
    auto is_body = [&](const Function* function) {
      return any_of(program.bodies, [=](const PacketBody& body) { return body.body == function; });
    };
    std::string why_not;
    for (const Function* function : reached)
      if (is_body(function))
        why_not = "a packet body is within a call";
      else if (const CallBase* call = call_that_lets_others_run(*function))
        why_not = "at " + source_of(call) + " other packets may run within a call";
    if (!why_not.empty()) {
      remarks.push_back({"commuting-group-not-atomic", place,
                         formatv("{0}: {1}, so the group is not used", names, why_not),
                         "declare the functions below it that only change the structure"});
      continue;
    }
    for (const Function* function : functions)
      members_[function] |= group;
    reached_.insert(reached.begin(), reached.end());
  }
}

std::string CommutingGroups::reason(GroupSet groups) const {
  std::string text;
  for (size_t g = 0; g != reasons_.size(); ++g)
    if (groups >> g & 1) text += (text.empty() ? "" : "; ") + reasons_[g];
  return text;
}

} // namespace heddle

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
//   - what does not come back (exit, longjmp) gets a gate wherever it stands (transform/leaving.cpp), so may what waits
//     (poll; transform/waiting.cpp), and a packet loop has sites. A group that may run any of these is left out, with
//     the remark commuting-group-not-atomic.
// A crash within a call (abort, a failed assertion) has no gate, so it needs nothing.
//
// Then two accesses that are both made within calls of one group are no conflict (locations.cpp). An access within a
// call and one outside conflict as ever: the outside one sees the middle of the structure, of which the user said
// nothing. Both must lie in one stage, and by the outside access so must all within that conflict with it. So a
// location touched within calls only is `commuting`, and any other has a window of the outside accesses and of
// those within that conflict with them. Two groups are as strange to each other as to the rest of the program;
// an access within nested calls of two groups is within both.
//
// Which functions a call through a pointer runs is what such operations are most often imprecise about: a tree that
// compares by a function pointer is shared by all trees of the program, as far as the points-to analysis can tell, and
// then a call seems to run half of the program. So the user may also declare that (`through_pointers`), for calls
// within those of the group; only functions that the analysis found possible count.
//
// A statement about calls says nothing of the system's state behind them. Output, locks, errno and the like
// conflict as if they were touched outside (effects.cpp), so a group that writes a log has the log's window.
#include "analysis/commuting.h"

#include "analysis/leaving_calls.h"
#include "program/expensive.h"
#include "program/modelled.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace heddle {

namespace {

// A call within which other packets may run; null if there is none. A packet waits for an expensive load in functions that are opened alone,
// and no call of a group is.
const CallBase* call_that_lets_others_run(const Function& function) {
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    const Function* callee = call->getCalledFunction();
    if (callee && callee->isDeclaration() && callee->getName().starts_with("heddle_") &&
        !marks_expensive(*call))
      return call;
    if (lets_others_run(*call)) return call;
  }
  return nullptr;
}

} // namespace

bool CommutingGroups::knows_callees(const CallBase& call, GroupSet within) const {
  if (call.isInlineAsm() || isa<Function>(call.getCalledOperand()->stripPointerCastsAndAliases()))
    return false;
  for (size_t g = 0; g != groups_.size(); ++g)
    if ((within >> g & 1) && groups_[g].restricted) return true;
  return false;
}

std::vector<const Function*> CommutingGroups::callees(const CallBase& call, GroupSet within,
                                                      const PointsTo& points_to) const {
  ArrayRef<const Function*> all = points_to.callees(call);
  std::vector<const Function*> result(all.begin(), all.end());
  if (!knows_callees(call, within)) return result;
  for (size_t g = 0; g != groups_.size(); ++g)
    if ((within >> g & 1) && groups_[g].restricted)
      erase_if(result, [&](const Function* callee) { return !groups_[g].through_pointers.contains(callee); });
  return result;
}

CommutingGroups::Group CommutingGroups::make_group(const Program& program, const Declaration& declaration,
                                                   const std::string& place) const {
  Group group;
  group.reason = formatv("only used in calls of {0}, which commute ({1}; may differ: {2}): {3}",
                         join(declaration.names, ", "), place, declaration.differs, declaration.why);
  group.restricted = !declaration.through_pointers.empty();
  for (const Function& function : *program.module)
    if (any_of(declaration.through_pointers, [&](StringRef name) { return is_called(function, name); }))
      group.through_pointers.insert(&function);
  return group;
}

// Empty: calls of `functions` are atomic. Adds what they may run to `reached`.
std::string CommutingGroups::why_not_atomic(const Program& program, GroupSet group,
                                            ArrayRef<const Function*> functions, const PointsTo& points_to,
                                            std::vector<const Function*>& reached) const {
  DenseMap<const Function*, const Function*> from; // where each was reached first
  for (const Function* root : functions)
    if (from.try_emplace(root, nullptr).second) reached.push_back(root);
  auto way_to = [&](const Function* function) { // "add_timer, insert, log"
    std::string way;
    for (; function; function = from.lookup(function))
      way = (source_name(*function) + Twine(way.empty() ? "" : ", ") + way).str();
    return way;
  };
  for (size_t i = 0; i != reached.size(); ++i) {
    const Function* function = reached[i];
    for (const PacketBody& body : program.bodies)
      if (body.body == function) return formatv("a packet body is within a call ({0})", way_to(function));
    if (const CallBase* call = call_that_lets_others_run(*function))
      return formatv("at {0} other packets may run within a call ({1})", source_of(call), way_to(function));
    for (const Instruction& instruction : instructions(*function))
      if (const auto* call = dyn_cast<CallBase>(&instruction))
        for (const Function* callee : callees(*call, group, points_to))
          if (!callee->isDeclaration() && from.try_emplace(callee, function).second)
            reached.push_back(callee);
  }
  return "";
}

CommutingGroups::CommutingGroups(const Program& program, const Declarations& declarations,
                                 const PointsTo& points_to, std::vector<Remark>& remarks) {
  for (const Declaration& declaration : declarations.all) {
    if (declaration.kind != "commute") continue;
    const GroupSet group = GroupSet(1) << groups_.size();
    const std::string place = declarations.place(declaration);
    groups_.push_back(make_group(program, declaration, place));
    std::vector<const Function*> functions, reached;
    for (const Function& function : *program.module)
      if (!function.isDeclaration() && is_contained(declaration.names, declared_name(function)))
        functions.push_back(&function);
    std::string why_not = why_not_atomic(program, group, functions, points_to, reached);
    if (!why_not.empty()) {
      remarks.push_back(
          {"commuting-group-not-atomic", place,
           formatv("{0}: {1}, so the group is not used", join(declaration.names, ", "), why_not),
           "declare the functions below that only change the structure, or say with 'through_pointers' what "
           "calls "
           "through pointers run there"});
      continue;
    }
    for (const Function* function : functions)
      members_[function] |= group;
    reached_.insert(reached.begin(), reached.end());
  }
}

std::string CommutingGroups::reason(GroupSet groups) const {
  std::string text;
  for (size_t g = 0; g != groups_.size(); ++g)
    if (groups >> g & 1) text += (text.empty() ? "" : "; ") + groups_[g].reason;
  return text;
}

} // namespace heddle

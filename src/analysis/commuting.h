// Groups of functions whose calls the user declared to commute (program/declarations.h).
#pragma once

#include "analysis/points_to.h"
#include "program/declarations.h"
#include "program/program.h"

namespace heddle {

// Bit g: the g-th group.
using GroupSet = uint32_t;
static_assert(most_commuting_groups <= 8 * sizeof(GroupSet));

class CommutingGroups {
public:
  CommutingGroups() = default; // none

  // A group in which a call is not atomic is left out, with a remark.
  CommutingGroups(const Program& program, const Declarations& declarations, const PointsTo& points_to,
                  std::vector<Remark>& remarks);

  // The groups that `function` belongs to.
  GroupSet of(const llvm::Function& function) const { return members_.lookup(&function); }

  // Is it declared what this call through a pointer runs, where it is made within a call of these groups?
  bool knows_callees(const llvm::CallBase& call, GroupSet within) const;
  // What the call may run, where it is made within a call of these groups.
  std::vector<const llvm::Function*> callees(const llvm::CallBase& call, GroupSet within,
                                             const PointsTo& points_to) const;

  // The functions of all groups, and all that their calls may run.
  const llvm::DenseSet<const llvm::Function*>& reached() const { return reached_; }

  // Why accesses that lie within calls of these groups only need no window.
  std::string reason(GroupSet groups) const;

private:
  llvm::DenseMap<const llvm::Function*, GroupSet> members_;
  llvm::DenseSet<const llvm::Function*> reached_;
  struct Group {
    std::string reason;
    bool restricted = false; // calls through pointers run these only
    llvm::DenseSet<const llvm::Function*> through_pointers;
  };
  Group make_group(const Program& program, const Declaration& declaration, const std::string& place) const;
  std::string why_not_atomic(const Program& program, GroupSet group,
                             llvm::ArrayRef<const llvm::Function*> functions, const PointsTo& points_to,
                             std::vector<const llvm::Function*>& reached) const;
  std::vector<Group> groups_;
};

} // namespace heddle

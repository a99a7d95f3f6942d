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

  // The functions of all groups, and all that their calls may run.
  const llvm::DenseSet<const llvm::Function*>& reached() const { return reached_; }

  // Why accesses that lie within calls of these groups only need no window.
  std::string reason(GroupSet groups) const;

private:
  llvm::DenseMap<const llvm::Function*, GroupSet> members_;
  llvm::DenseSet<const llvm::Function*> reached_;
  std::vector<std::string> reasons_; // by group
};

} // namespace heddle

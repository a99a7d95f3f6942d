// Which of the keys that the program shows (analysis/inferred_keys.h) packets claim.
#pragma once

#include "plan/plan.h"

namespace heddle {

// Keys cost a call per value, and order in the stages that claim them. So: where a piece that no cut may divide takes more than the budget of a stage; and of the keys there, those whose locations tie the most of the packet together.
// With the policy `finest`, all that there is room for. Numbers from `first` on. Values that few packets make, as where a flow's record is
// taken from a pool, are claimed as fresh.
std::vector<OpenedClaim> choose_claims(const std::vector<CutGraph>& graphs, const Plan& plan, unsigned first);

} // namespace heddle

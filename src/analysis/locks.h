// Locks and read-side sections: where on its path a packet holds one.
#pragma once

#include "analysis/body_graph.h"
#include "analysis/lock_calls.h"

#include <string>
#include <vector>

namespace heddle {

// Accesses within calls of such functions are those of a group (commuting.h) that no one has to declare.
constexpr GroupSet lock_group = GroupSet(1) << 31;
static_assert(most_commuting_groups < 32);

class Locks {
public:
  Locks(const BodyGraph& graph, const Effects& effects, const RareBlocks& rare);

  // Why it is not known where packets hold locks, with source lines; empty: it is.
  const std::string& obstacle() const { return obstacle_; }
  // Edges of the graph, by number, on which a packet may hold a lock: no site may stand there.
  const std::vector<uint32_t>& held_on() const { return held_on_; }

private:
  std::string obstacle_;
  std::vector<uint32_t> held_on_;
};

} // namespace heddle

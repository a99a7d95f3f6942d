// The shared locations of a body, the nodes that touch them, and the verdict on each.
#pragma once

#include "analysis/access_table.h"
#include "analysis/body_graph.h"
#include "analysis/cut_graph.h"
#include "analysis/inferred_keys.h"
#include "analysis/keys.h"
#include "analysis/observed.h"
#include "analysis/sharing.h"

#include "llvm/ADT/StringSet.h"

namespace heddle {

// Names of the relaxations this build knows, in the order in which they are tried.
llvm::ArrayRef<llvm::StringRef> relaxation_names();

struct LocationOptions {
  llvm::StringSet<> without; // relaxations that are switched off
  RunSpans spans;            // when the sample's packets ran what; null: not known
  Declarations declarations;
  const CommutingGroups* groups = nullptr; // that the effects know; null: none
  const Keys* keys = nullptr;              // of this body; null: no key is declared
  const InferredKeys* inferred = nullptr;  // likewise; null: only declared keys count
  unsigned first_inferred_key = UINT_MAX;  // keys from this number on were inferred when the plan was made
  // Why locks need windows in this body; empty: no site of the graph lies where a packet holds one.
  std::string locks_obstacle;
  llvm::DenseSet<const llvm::CallBase*> fixed;    // calls for output that cannot be kept in another body
  std::vector<const llvm::Function*> bodies;      // of all packet loops
  llvm::DenseSet<const llvm::Value*> not_scratch; // variables of which another body cannot have copies
  // Only these, and the loop's own control, instead of what may be (observed.h).
  std::optional<std::vector<ObservedDependence>> observed;
};

struct Locations {
  std::vector<SharedLocation> all;
  std::vector<const llvm::CallBase*> kept; // calls for output of channels that are deferred
  std::vector<ScratchVariable> scratch;
  std::vector<const llvm::Value*> scratch_sites; // what these are in the module
  bool own_errno = false;
  std::vector<CutKey> keys; // of locations that are keyed
  // Of windows, by index into `all`: SharedLocation::roots.
  std::vector<std::pair<size_t, InferredKeys::Roots>> roots;
};

// `table`: of the graph and the effects.
Locations find_locations(const BodyGraph& graph, const PacketBody& body, const Effects& effects,
                         const AccessTable& table, const Sharing& sharing, const LocationOptions& options);

} // namespace heddle

// Variables that a packet writes before it reads them, and that nobody else looks at: each packet in flight can have a
// copy of its own.
#pragma once

#include "analysis/access_table.h"
#include "analysis/cut_graph.h"
#include "analysis/exits.h"
#include "analysis/exposure.h"
#include "analysis/sharing.h"
#include "program/program.h"

#include <optional>

namespace heddle {

class Scratch {
public:
  // `bodies`: of all packet loops of the program.
  Scratch(const PacketBody& body, llvm::ArrayRef<const llvm::Function*> bodies, const Effects& effects,
          const Sharing& sharing, const AccessTable& table, const Exits& exits);

  // Is it a variable of the program, of a thread, or of the function that holds the packet loop?
  bool outlives_packets(const MemoryObject& object) const;
  // Can packets use copies of such a variable, as far as its address goes? Empty: yes. `declared`: the user says that nobody
  // keeps it.
  std::string obstacle(const MemoryObject& object, bool declared) const;
  // Where a packet, or code outside of the packet loop, may read what an earlier packet left; empty: nowhere.
  std::string exposed(const MemoryObject& object) const;
  // Likewise of errno, by packets and by other code.
  std::string errno_exposed_to_packets() const;
  std::string errno_exposed_outside() const;

  ScratchVariable describe(const MemoryObject& object, bool declared) const;

private:
  std::optional<std::vector<ScratchField>> fields(const MemoryObject& object) const;
  bool only_fields_are_used() const;
  std::string exposed_to_packets(ObjectId object, uint64_t size, bool of_errno) const;
  std::string exposed_outside(ObjectId object, uint64_t size, bool of_errno) const;
  std::vector<const llvm::Function*> outside_functions() const;

  const PacketBody& body_;
  std::vector<const llvm::Function*> bodies_;
  const Effects& effects_;
  const PointsTo& points_to_;
  const AccessTable& table_;
  const Exits& exits_;
  mutable ObjectSet held_,
      by_signals_;        // what shared memory points to, the environment aside; their test() caches
  ObjectSet environment_; // the body's argument
  std::vector<const llvm::Function*> outside_;
};

} // namespace heddle

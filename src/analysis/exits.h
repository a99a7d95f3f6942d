// What can be seen after a packet has ended the program: output, and what exit handlers look at. Packets before
// it must have done all of that, and packets after it none.
#pragma once

#include "analysis/access_table.h"

#include "llvm/ADT/BitVector.h"

namespace heddle {

class Exits {
public:
  Exits(const AccessTable& table, const Effects& effects);

  struct Exit {
    uint32_t node;
    const llvm::Instruction* at;
    bool rare; // by a packet that is alone by then
  };
  const std::vector<Exit>& all() const { return all_; }
  bool all_rare() const {
    return llvm::all_of(all_, [](const Exit& exit) { return exit.rare; });
  }

  // Is the state of `object` seen after the end of the program?
  bool show(const MemoryObject& object) const;

private:
  const PointsTo& points_to_;
  std::vector<Exit> all_;
  llvm::BitVector read_by_handlers_; // by object; empty where no packet ends the program
};

} // namespace heddle

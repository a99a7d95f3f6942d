// The packet loop's own control as a shared location: whether and with what the next packet starts.
//
// The next packet may start only when it is certain that this one will not leave the loop. So the body's
// entry and every node where that is decided against (a return of another code than 0, an exception that
// leaves the body, exit, breaking the callback loop) are accesses to one location.
//
// A packet that ends the program is more than that: what earlier packets have not put out yet is lost. So an exit is
// an access to all that can be seen afterwards, too (exits.h). One on a rare path is nothing else: all packets
// before it have ended, and what later ones did in memory ends with the program.
#pragma once

#include "analysis/access_table.h"

namespace heddle {

struct LoopExit {
  uint32_t node;
  const llvm::Instruction* at;
  const char* how;    // "leaves the packet loop", "may throw out of the body", ...
  bool rare;          // decided by a packet that is alone by then
  bool jumps = false; // longjmp, or what an unknown function may do
  // Of an exit of the loop's own, after which the program looks at nothing that the packet leaves: its name as a location. Where
  // the user declares it, later packets that have begun by then may end first. Empty: of others.
  std::string late{};
};

constexpr llvm::StringRef late_exit = "exit of the packet loop at "; // and its place

std::vector<LoopExit> loop_exits(const BodyGraph& graph, const PacketBody& body, const AccessTable& table,
                                 const PointsTo& points_to);

} // namespace heddle

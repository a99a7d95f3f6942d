// Problem: what a case has found is constants. The kernel's verifier knows them, and follows the code behind once for each case whose
// constants decide something; behind five tables of 17 cases each that is 1.4 million times. It gives up after a million
// instructions, which takes it seconds, and no pass alone is to blame.
//
// Alternatives: to ask the verifier and try again with less takes the seconds first. To hide constants from it would leave nothing of
// what constants are for.
//
// Choice: the ways are counted before anything is compiled. They are the product of the sites' cases along a path, at most: where the verifier finds
// that states are alike it follows one of them. Loops count once, as a site that is met again has the same cases, and most
// states are alike by then. (The example firewall without indexes, whose five tables have up to 16 hot keys each: refused again and again, for tens of
// seconds, without a limit; with one of 4,096 ways the verifier looked at up to 238,000 instructions, in up to 0.17 s.)
#include "specialize/ways.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

namespace heddle {

using namespace llvm;

Ways most_ways(const Function& function, ArrayRef<Cases> sites) {
  DenseMap<const Instruction*, size_t> site_of;
  for (size_t at = 0; at != sites.size(); ++at)
    site_of[sites[at].lookup] = at;
  DenseMap<const BasicBlock*, Ways> behind; // blocks that are not yet there are reached by a loop's way back
  Ways most;
  for (const BasicBlock* block : ReversePostOrderTraversal<const Function*>(&function)) {
    Ways ways;
    for (const BasicBlock* before : predecessors(block))
      if (auto known = behind.find(before); known != behind.end() && known->second.count > ways.count)
        ways = known->second;
    for (const Instruction& instruction : *block) {
      auto site = site_of.find(&instruction);
      if (site == site_of.end()) continue;
      ways.count = SaturatingMultiply(ways.count, sites[site->second].count);
      ways.sites.push_back(site->second);
    }
    if (ways.count > most.count) most = ways;
    behind[block] = std::move(ways);
  }
  return most;
}

} // namespace heddle

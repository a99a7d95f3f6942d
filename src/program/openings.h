// Which calls through pointers and which loops are opened (program/open.h): the part of a plan that changes the
// prepared module before anything else.
#pragma once

#include "program/block_id.h"

#include <string>
#include <vector>

namespace heddle {

struct OpenedCall {
  BlockId block = 0;                // that ends with the call
  std::vector<std::string> targets; // names of functions in the module, compared with in this order
  std::string function, at;         // for people: where
};

struct OpenedLoop {
  BlockId header = 0;
  uint32_t iterations = 0; // that get copies
  std::string function, at;
};

// A load that is expected to wait for memory: its block is split before it (program/expensive.h).
struct OpenedLoad {
  BlockId block = 0;
  uint32_t number = 0; // of what reads memory in the block (program/reads.h), from 0
  double accesses = 0; // per packet
  double level2 = 0, level3 = 0, memory = 0,
         walks = 0; // the share of these that is found there, or takes a walk
  // Of one that the next iteration of its loop has to wait for (program/recurrence.h): cycles of an iteration in which the processor has
  // nothing to do, even with the data in its first cache. Else 0.
  double chain = 0;
  double iteration = 0; // instructions of one
  BlockId loop = 0;     // the header of the innermost loop, if that makes no calls; else 0
  unsigned behind =
      0; // of the loads here at most so many wait, one for the other, before its address is known
  bool follows_itself = true; // made again, it needs what was loaded before (program/address_chain.h)
  std::string function, at;
};

// A value that is claimed as a key as soon as it is there (program/claims.h).
struct OpenedClaim {
  BlockId block = 0;        // of the program in which all other openings are made
  uint32_t instruction = 0; // which of the block's, from 0: it makes the value
  uint32_t key = 0;
  bool fresh = false;
  std::string function, at;
};

struct Openings {
  std::vector<OpenedCall> calls;
  std::vector<OpenedLoop> loops;
  std::vector<OpenedLoad> loads;
  std::vector<OpenedClaim> claims;
  bool empty() const { return calls.empty() && loops.empty() && loads.empty() && claims.empty(); }
};

} // namespace heddle

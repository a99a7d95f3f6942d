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

struct Openings {
  std::vector<OpenedCall> calls;
  std::vector<OpenedLoop> loops;
  bool empty() const { return calls.empty() && loops.empty(); }
};

} // namespace heddle

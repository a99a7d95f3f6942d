// What the dependency checker saw, free of LLVM's IR.
#pragma once

#include <compare>
#include <string>
#include <vector>

namespace heddle {

// An access as the dependency checker names it: the innermost function, and file:line.
struct ObservedPlace {
  std::string function, at;
  auto operator<=>(const ObservedPlace&) const = default;
};

// Two accesses of different packets that met in one batch, one of which writes.
struct ObservedDependence {
  ObservedPlace first, second;
  std::string object; // for people
};

} // namespace heddle

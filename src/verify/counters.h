// Hardware counters through `perf stat`, where the machine has them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct Counter {
  std::string name;
  double value = 0;
};

class Counters {
public:
  // Tries once whether perf can count; `perf` is a path or a name looked up in PATH.
  static Counters probe(const std::string& perf = "perf");

  bool usable() const { return unusable_.empty(); }
  // One sentence: "no hardware counters on this machine: ...".
  const std::string& why_not() const { return unusable_; }

  // What to put before a command so that its counts go to `report`.
  std::vector<std::string> prefix(const std::string& report) const;
  // The counts in such a report; those that perf could not count are absent.
  static std::vector<Counter> parse(llvm::StringRef report);

private:
  std::string perf_, unusable_;
};

} // namespace heddle

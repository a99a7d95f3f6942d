// What a measurement was made on.
#pragma once

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace heddle {

struct MachineCache {
  unsigned level = 0;
  std::string type; // "Instruction", "Data", "Unified"
  std::string size; // "64K"
  unsigned ways = 0;
};

struct Machine {
  std::string cpu, kernel, hypervisor; // hypervisor: empty on bare metal
  unsigned cpus = 0;                   // online
  std::vector<MachineCache> caches;    // of the first CPU
  std::string date;                    // UTC, ISO 8601; empty: of a stored reference

  std::string str() const; // one line
};

// `root` is put before /proc and /sys: for tests.
Machine describe_machine(const std::string& root = "");

// The last CPU that this process may run on: the one that interrupts and other work use least.
unsigned last_cpu();

void write_machine(const Machine& machine, llvm::json::OStream& json);

} // namespace heddle

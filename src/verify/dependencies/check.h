// The dependency checker: does the plan's order reverse any two accesses that the program's packets really made?
#pragma once

#include "plan/plan.h"
#include "program/program.h"
#include "verify/dependencies/instrument.h"
#include "verify/sandbox.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace heddle {

// What one of two conflicting packets did.
struct CheckedAccess {
  AccessPlace place;
  bool write = false;
  uint64_t packet = 0;           // counted over the run, from 0
  std::optional<unsigned> stage; // none where the run was staged
};

// Two places whose order the plan reverses between packets of one batch.
struct ReversedPair {
  CheckedAccess earlier, later; // of the first case
  uint64_t count = 0, batch = 0;
  std::string object;     // of the first case: the variable, or where it was allocated
  std::string relaxation; // that lets it through; empty: none
};

struct DependencyResult {
  unsigned batch = 0; // most packets of one
  uint64_t packets = 0, batches = 0, staged = 0, alone = 0, accesses = 0;
  uint64_t lost_pairs = 0, lost_records = 0;         // tables that were full
  size_t instructions = 0;                           // instrumented
  std::vector<ReversedPair> violations, let_through; // most frequent first
  std::vector<std::pair<std::string, uint64_t>>
      unseen; // outside functions that packets called, and how often
  int exit_status = 0;
  double build_seconds = 0, run_seconds = 0, cpu_seconds = 0; // the last: of the run
  long peak_memory_kib = 0;
};

// Builds the program with every access of memory instrumented and runs it on the command: in its original order, which
// is compared with the plan's, or staged, and then two accesses have changed places if the later packet's came first.
// The plan is taken as it is, edited or not.
// Errors: a plan of another build or one that does not fit; a build that fails; a program that crashes, does not end
// in time, or runs no packet.
llvm::Expected<DependencyResult> check_dependencies(const ProgramImage& image, const Program& program,
                                                    const Plan& plan, const CommandLine& command,
                                                    Order order = Order::Original);

void print_dependencies(const DependencyResult& result, llvm::raw_ostream& out);
// The fields of an object that the caller has opened.
void write_dependencies(const DependencyResult& result, llvm::json::OStream& json);

} // namespace heddle

// Paired runs: A B A B, or A B C A B C.
#pragma once

#include "host/machine.h"
#include "support/ratio.h"
#include "verify/counters.h"
#include "verify/sandbox.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace heddle {

// What is measured of a run. CpuTime: user and system time of the process and its children. Output: the last
// match of a regular expression with one group in the program's stdout or stderr.
struct Metric {
  enum Kind { CpuTime, WallTime, Output } kind = CpuTime;
  std::string pattern;           // of Output: "pps=([0-9.]+)"
  bool higher_is_better = false; // of Output
  std::string unit() const;      // "s", or the pattern
};

// "cpu", "wall", or a pattern with one group; "lower:PATTERN" where less is better (default: more is better).
// Errors: not a regular expression, not exactly one group.
llvm::Expected<Metric> parse_metric(llvm::StringRef text);

struct BenchOptions {
  CommandLine command;
  Metric metric;
  unsigned pairs = 15;         // rounds; at least 7 are made even past the time budget
  unsigned warm_ups = 1;       // runs of each variant before the first round, not counted
  double budget_seconds = 0;   // 0: none
  std::optional<unsigned> cpu; // default: last_cpu()
  bool use_counters = true;
};

struct BenchedVariant {
  std::string name;
  std::vector<double> samples;   // the metric, by round
  Interval value;                // of the samples
  Interval ratio;                // to the first variant, round by round; above 1: better than it
  std::vector<Counter> counters; // of one extra run
};

struct BenchResult {
  Machine machine;
  Metric metric;
  unsigned cpu = 0, rounds = 0;
  std::string no_counters; // why there are none, or empty
  std::vector<BenchedVariant> variants;
};

// Errors: no variant, a variant that fails (with its status and the end of its stderr), a metric that the
// output does not hold or that is not above zero.
llvm::Expected<BenchResult> bench(llvm::ArrayRef<Variant> variants, const BenchOptions& options);

void print_bench(const BenchResult& result, llvm::raw_ostream& out);
// The fields of an object that the caller has opened.
void write_bench(const BenchResult& result, llvm::json::OStream& json);

} // namespace heddle

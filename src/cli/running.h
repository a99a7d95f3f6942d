// Options of the subcommands that run the program: verify, bench and the last steps of optimize.
#pragma once

#include "cli/json_option.h"
#include "verify/bench.h"
#include "verify/output.h"

#include "CLI/CLI.hpp"

namespace heddle {

struct RunningOptions {
  std::string optimized; // default: PROGRAM.heddle
  CommandLine command;
  std::vector<std::string> filters;
  std::vector<unsigned> batches{1, 8, 32, 64};
  std::string metric = "cpu";
  unsigned pairs = 15;
  double budget_seconds = 0;
  void add_run_to(CLI::App& app); // how it is run: standard input, time limit
  void add_filter_to(CLI::App& app);
  void add_verify_to(CLI::App& app);
  void add_bench_to(CLI::App& app);
};

// The command line that verify and bench share; each adds its own options.
struct ComparisonOptions {
  std::string program;
  JsonOption json;
  RunningOptions running;
  void add_to(CLI::App& app);
};

// Errors: there is no such program.
llvm::Expected<Variant> original_variant(const std::string& program);
llvm::Expected<BenchOptions> bench_options(const RunningOptions& options);
llvm::Expected<VerifyOptions> verify_options(const RunningOptions& options);

// Original and optimized program, the latter at every batch size asked for.
llvm::Expected<VerifyResult> verify_program(const std::string& program, const RunningOptions& options);

// Original, optimized, and optimized with staging off, in turn.
llvm::Expected<BenchResult> bench_program(const std::string& program, const RunningOptions& options);

} // namespace heddle

// What steps leave in the work folder for `heddle report`, beside the profile and the plan.
#pragma once

#include "cli/planning.h"
#include "cli/running.h"
#include "cli/sweep.h"
#include "cli/workspace.h"

namespace heddle {

// path.json: of a plan that is kept in the work folder.
llvm::Error keep_path(const Workspace& workspace, const Program& program, const Trace& trace,
                      const Decision& decision);

// verify.json, sweep.json and bench.json, with the arguments of the runs. Not where there is no work folder: verify and bench take programs without one.
llvm::Error keep_verify(const std::string& folder, const CommandLine& command, const VerifyResult& result);
llvm::Error keep_sweep(const std::string& folder, const CommandLine& command, const Sweep& sweep);
llvm::Error keep_bench(const std::string& folder, const CommandLine& command, const BenchResult& result);

} // namespace heddle

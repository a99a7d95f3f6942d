// The subcommands: each file adds its options to the command line and what to run if it was chosen.
#pragma once

#include "llvm/Support/Error.h"

#include "CLI/CLI.hpp"

#include <functional>

namespace heddle {

using Action = std::function<llvm::Error()>;

void add_inspect(CLI::App& app, Action& chosen);
void add_profile(CLI::App& app, Action& chosen);
void add_plan(CLI::App& app, Action& chosen);
void add_build(CLI::App& app, Action& chosen);
void add_verify(CLI::App& app, Action& chosen);
void add_bench(CLI::App& app, Action& chosen);
void add_calibrate(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
void add_generate(CLI::App& app, Action& chosen);
void add_top(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
void add_optimize(CLI::App& app, Action& chosen);
void add_specialize(CLI::App& app, Action& chosen);

} // namespace heddle

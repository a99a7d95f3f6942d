// The command line as data: what --help prints, for manual pages and completion to be made from.
#pragma once

#include "CLI/CLI.hpp"

#include <string>
#include <vector>

namespace heddle {

struct DescribedOption {
  std::vector<std::string> names; // "-o", "--output"; of a positional: "PROGRAM"
  std::string value;              // "TEXT", "[FILE]"; empty: a flag
  std::vector<std::string> choices;
  std::string range, preset, needs; // empty: none
  bool required = false, repeated = false;
  std::string text;
};

struct DescribedCommand {
  std::string name, text; // of a subcommand: its own name alone
  std::vector<DescribedOption> positionals, options;
};

// The command itself, then its subcommands in the order of --help, without hidden ones.
std::vector<DescribedCommand> describe(const CLI::App& app);

} // namespace heddle

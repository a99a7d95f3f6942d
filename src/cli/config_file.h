// Options out of heddle.toml.
#pragma once

#include "CLI/CLI.hpp"

#include <string>
#include <vector>

namespace heddle {

// Takes those of `options`, by their long names, that the table [section] of the file has and the command line has not. Throws
// CLI::ParseError, with file and line: unreadable, no TOML, another key, a value that the option does not take.
void take_options_from(const std::string& file, const std::string& section,
                       const std::vector<std::string>& options, CLI::App& command);

} // namespace heddle

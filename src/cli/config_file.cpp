#include "cli/config_file.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <sstream>

namespace heddle {

namespace {

std::string text_of(const toml::node& value) {
  if (auto text = value.value_exact<std::string>()) return *text;
  std::ostringstream out;
  if (auto whole = value.value_exact<int64_t>())
    out << *whole;
  else if (auto number = value.value<double>())
    out << *number;
  return out.str(); // empty: a table, a date
}

std::vector<std::string> texts_of(const toml::node& value) {
  std::vector<std::string> texts;
  if (const toml::array* array = value.as_array())
    for (const toml::node& each : *array)
      texts.push_back(text_of(each));
  else
    texts.push_back(text_of(value));
  return texts;
}

} // namespace

void take_options_from(const std::string& file, const std::string& section,
                       const std::vector<std::string>& options, CLI::App& command) {
  auto fail = [&](const toml::source_region& at, const std::string& what) -> CLI::ParseError {
    std::string line = at.begin ? ":" + std::to_string(at.begin.line) : "";
    return {file + line + ": " + what, CLI::ExitCodes::ConfigError};
  };
  toml::parse_result parsed = toml::parse_file(file);
  if (!parsed) throw fail(parsed.error().source(), std::string(parsed.error().description()));
  const toml::node* found = parsed.table().get(section);
  if (!found) return;
  if (!found->is_table()) throw fail(found->source(), "write [" + section + "] on a line of its own");
  for (const auto& [key, value] : *found->as_table()) {
    std::string name(key.str());
    if (!llvm::is_contained(options, name))
      throw fail(key.source(), llvm::formatv("[{0}] has no option '{1}': it has {2}", section, name,
                                             llvm::join(options, ", ")));
    CLI::Option& option = *command.get_option("--" + name);
    if (option.count() != 0) continue;
    try {
      option.add_result(texts_of(value));
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      throw fail(value.source(), error.what());
    }
  }
}

} // namespace heddle

#include "cli/describe.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

using llvm::StringRef;

namespace {

// "TEXT:{a,b}" and "UINT:INT in [2 - 4096]" are how CLI11 says what a value may be.
void describe_value(StringRef type, DescribedOption& option) {
  auto [label, limits] = type.split(':');
  option.value = label.str();
  if (limits.consume_front("{") && limits.consume_back("}")) {
    llvm::SmallVector<StringRef, 8> choices;
    limits.split(choices, ',');
    for (StringRef choice : choices)
      option.choices.push_back(choice.str());
  } else if (size_t at = limits.find('['); at != StringRef::npos) {
    option.range = limits.substr(at).str();
  }
}

DescribedOption describe(const CLI::Option& given) {
  DescribedOption option;
  option.text = given.get_description();
  for (const std::string& name : given.get_snames())
    option.names.push_back("-" + name);
  for (const std::string& name : given.get_lnames())
    option.names.push_back("--" + name);
  if (given.get_positional()) option.names = {given.get_name(true, false)};
  if (given.get_expected_max() == 0) return option;
  if (given.get_option_text().empty())
    describe_value(given.get_type_name(), option);
  else
    option.value = given.get_option_text();
  option.preset = given.get_default_str();
  option.required = given.get_required();
  option.repeated = given.get_expected_max() == CLI::detail::expected_max_vector_size;
  return option;
}

DescribedCommand describe_one(const CLI::App& app) {
  DescribedCommand command{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* given : app.get_options()) {
    DescribedOption option = describe(*given);
    for (const CLI::Option* other : given->get_needs())
      option.needs += (option.needs.empty() ? "" : ", ") + other->get_name();
    (given->get_positional() ? command.positionals : command.options).push_back(std::move(option));
  }
  return command;
}

} // namespace

std::vector<DescribedCommand> describe(const CLI::App& app) {
  std::vector<DescribedCommand> commands{describe_one(app)};
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!subcommand->get_group().empty()) commands.push_back(describe_one(*subcommand));
  return commands;
}

} // namespace heddle

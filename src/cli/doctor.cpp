// heddle doctor: what this machine allows, and how to get what is missing.
#include "cli/command.h"
#include "cli/json_option.h"
#include "doctor/check.h"
#include "support/diagnostic.h"

namespace heddle {

namespace {

llvm::Error run(const JsonOption& json) {
  const std::vector<Check> checks = check_machine();
  print_checks(checks, json.text());
  if (llvm::Error error = json.write([&](llvm::json::OStream& out) { write_checks(checks, out); }))
    return error;
  const std::string missing = missing_of(checks);
  if (missing.empty()) return llvm::Error::success();
  llvm::outs().flush(); // what the error speaks of stands before it
  return diagnose("what Heddle cannot do without is missing: " + missing,
                  "the list above says how to get it");
}

} // namespace

void add_doctor(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("doctor", "say what this machine allows, and how to get what is missing");
  auto json = std::make_shared<JsonOption>();
  json->add_to(*command);
  command->callback([&chosen, json] { chosen = [json] { return run(*json); }; });
}

} // namespace heddle

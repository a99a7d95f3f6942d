#include "doctor/checks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace heddle {

std::vector<Check> check_machine() {
  const Check temporary = check_temporary_files();
  if (!temporary.found) return {temporary}; // nothing else could be tried
  // Steadiness first: what the other checks run would disturb it.
  const Check steadiness = check_steadiness();
  std::vector<Check> checks{temporary,          check_compiler(), check_linker(), check_own_files(),
                            check_llvm_tools(), check_valgrind(), check_perf()};
  auto add = [&](std::vector<Check> more) { llvm::append_range(checks, std::move(more)); };
  add(check_counters());
  add(check_huge_pages());
  add({check_large_pages(), check_private_stacks()});
  add(check_bpf());
  add(check_dpdk());
  add({check_pcap(), check_network_namespaces(), steadiness, check_calibration()});
  return checks;
}

std::string missing_of(const std::vector<Check>& checks) {
  std::string names;
  for (const Check& check : checks)
    if (check.required && !check.found) names += (names.empty() ? "" : ", ") + check.name;
  return names;
}

void print_checks(const std::vector<Check>& checks, llvm::raw_ostream& out) {
  llvm::StringRef said; // several things in a row may be got in the same way
  for (const Check& check : checks) {
    const char* state = check.found ? "found" : check.required ? "MISSING" : "missing";
    out << llvm::formatv("{0,-21} {1,-8} {2}\n", check.name, state, check.what);
    if (check.found || check.hint == said) continue;
    out << llvm::formatv("{0,-30} hint: {1}\n", "", check.hint);
    said = check.hint;
  }
}

void write_checks(const std::vector<Check>& checks, llvm::json::OStream& json) {
  json.attribute("complete", missing_of(checks).empty());
  json.attributeArray("checks", [&] {
    for (const Check& check : checks)
      json.object([&] {
        json.attribute("name", check.name);
        json.attribute("found", check.found);
        json.attribute("required", check.required);
        json.attribute("what", llvm::json::fixUTF8(check.what));
        json.attribute("hint", check.found ? "" : check.hint);
      });
  });
}

} // namespace heddle

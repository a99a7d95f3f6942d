#include "cli/command.h"
#include "cli/json_option.h"

#include "support/diagnostic.h"
#include "support/interrupt.h"
#include "toolchain/wrapper.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace heddle;

namespace {

// heddle-cc, heddle-c++, heddle cc, heddle c++: everything after the name belongs to the compiler.
std::optional<int> compiler(int argc, char** argv) {
  llvm::StringRef name = llvm::sys::path::filename(argv[0]);
  llvm::ArrayRef<const char*> args(argv + 1, argc - 1);
  if (name == "heddle-cc") return run_compiler(false, args);
  if (name == "heddle-c++") return run_compiler(true, args);
  if (args.empty()) return std::nullopt;
  if (llvm::StringRef(args[0]) == "cc") return run_compiler(false, args.drop_front());
  if (llvm::StringRef(args[0]) == "c++") return run_compiler(true, args.drop_front());
  return std::nullopt;
}

} // namespace

int main(int argc, char** argv) {
  if (std::optional<int> status = compiler(argc, argv)) return *status;

  CLI::App app("Makes a packet-processing program faster without changing what it does.\n"
               "Build it with `heddle cc` in place of clang, then run `heddle optimize PROGRAM -- ARGS`.",
               "heddle");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.require_subcommand(1);
  app.fallthrough(false);
  // Never come to here: their options are clang's, --help among them.
  app.add_subcommand("cc", "compile or link C as clang does, keeping the bitcode in the output")
      ->set_help_flag();
  app.add_subcommand("c++", "compile or link C++ as clang++ does, keeping the bitcode in the output")
      ->set_help_flag();
  Action chosen;
  add_inspect(app, chosen);
  add_profile(app, chosen);
  add_plan(app, chosen);
  add_build(app, chosen);
  add_verify(app, chosen);
  add_bench(app, chosen);
  add_report(app, chosen);
  add_top(app, chosen);
  add_optimize(app, chosen);
  add_specialize(app, chosen);
  add_calibrate(app, chosen);
  add_doctor(app, chosen);
  add_generate(app, chosen);

  try {
    std::vector<std::string> words = JsonOption::joined({argv + 1, size_t(argc - 1)});
    std::reverse(words.begin(), words.end()); // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error); // --help, --version
    report(diagnose(error.what(), "`heddle --help` and `heddle STEP --help` list what it takes"));
    return 2;
  }
  undo_when_interrupted();
  if (llvm::Error error = chosen()) {
    report(std::move(error));
    return 1;
  }
  return 0;
}

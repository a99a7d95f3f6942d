// Runs of one command by several programs, each in a fresh folder of the same path.
#pragma once

#include "support/file.h"
#include "support/process.h"

#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle {

// One of the programs that are compared: the original, the optimized one, the optimized one with a batch of
// one.
struct Variant {
  std::string name;    // "original", "optimized", ...
  std::string program; // path, or a name looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment;
};

// What all variants are run with. In the arguments, `{out}` stands for the run's own folder, which is also
// its working folder; arguments (and values behind a '=') that name an existing file relative to the caller's
// folder are made absolute, and a declared output file is replaced by one of the same name in the run's
// folder.
struct CommandLine {
  std::vector<std::string> args;
  std::vector<std::string> outputs; // files that the program writes elsewhere
  std::string stdin_path = "/dev/null";
  std::vector<std::pair<std::string, std::string>> environment; // for all variants
  unsigned timeout_seconds = 0;                                 // 0: none
};

// What one run left behind.
struct CapturedRun {
  std::string name;
  ProcessResult process;
  std::string stdout_path, stderr_path;
  std::vector<std::string> files; // relative to `folder`, sorted
  std::string folder;
  std::string file(llvm::StringRef relative) const { return folder + "/" + relative.str(); }
};

class Sandbox {
public:
  static llvm::Expected<Sandbox> create(CommandLine command);

  // Runs the variant and keeps its outputs until the sandbox dies or discard() is called. `prefix` is put
  // before the program: a wrapper such as perf with its arguments.
  llvm::Expected<CapturedRun> run(const Variant& variant, const ProcessOptions& options = {},
                                  const std::vector<std::string>& prefix = {});
  void discard(const CapturedRun& run);

private:
  Sandbox(TemporaryFolder folder, CommandLine command);
  std::string argument(const std::string& text) const;
  static std::string saved_name(const std::string& output);
  llvm::Error set_aside_declared(std::vector<UndoWhenInterrupted>& undo) const;
  llvm::Error collect_declared() const;

  TemporaryFolder folder_;
  CommandLine command_;
  std::string live_; // the folder that a run sees
  unsigned runs_ = 0;
};

} // namespace heddle

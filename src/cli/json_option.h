// --json [FILE]: the same option of every subcommand that has a result.
#pragma once

#include "CLI/CLI.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle {

class JsonOption {
public:
  // The command line, with the option and its file in one word: CLI11 takes a `--` behind an optional value for the end of that value,
  // and not of all options.
  static std::vector<std::string> joined(llvm::ArrayRef<const char*> args);

  void add_to(CLI::App& app);

  bool wanted() const { return wanted_; }
  // Nothing else may go to standard output then.
  bool takes_stdout() const { return wanted_ && (file_.empty() || file_ == "-"); }
  // Where text for people goes: nowhere if JSON takes its place.
  llvm::raw_ostream& text() const { return takes_stdout() ? llvm::nulls() : llvm::outs(); }

  // The object that `attributes` fills; or what `print` writes, a whole value. Nothing where it is not wanted.
  llvm::Error write(llvm::function_ref<void(llvm::json::OStream&)> attributes) const;
  llvm::Error print(llvm::function_ref<void(llvm::raw_ostream&)> print) const;

private:
  std::string file_; // empty: standard output
  bool wanted_ = false;
};

} // namespace heddle

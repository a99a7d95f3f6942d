// --json [FILE]: the same option of every subcommand that has a result.
#pragma once

#include "CLI/CLI.hpp"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace heddle {

class JsonOption {
public:
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

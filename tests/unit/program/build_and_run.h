// For the tests of this room: C and C++ sources to program images as `heddle cc` leaves them, and prepared
// programs to executables with the simplest driver there is.
#pragma once

#include "program/program.h"
#include "support/file.h"
#include "support/process.h"

#include "gtest/gtest.h"

namespace heddle::testing {

// What a run of a program shows.
struct Outcome {
  int status = -1;
  std::string output;
  bool operator==(const Outcome&) const = default;
};

class Workshop {
public:
  Workshop();

  // Unoptimised bitcode of a source file, as embedded by heddle cc.
  std::string bitcode(const std::string& source);
  ProgramImage image(const std::vector<std::string>& sources);

  Outcome run_plain(const std::vector<std::string>& sources, const std::vector<std::string>& link);
  // The prepared program with a heddle_run_loop that calls the body until it is done.
  Outcome run_prepared(const Program& program, const std::vector<std::string>& link);

  // A source file of the given name and text.
  std::string source(const std::string& name, const std::string& text);
  std::string path(llvm::StringRef name) const { return folder_.file(name); }

private:
  void compile(std::vector<std::string> args);
  Outcome run(const std::string& executable);

  TemporaryFolder folder_;
};

} // namespace heddle::testing

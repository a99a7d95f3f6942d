// Building little programs with the wrapper, in a folder of the test's own.
#pragma once

#include "support/diagnostic.h"
#include "support/file.h"
#include "support/process.h"
#include "toolchain/wrapper.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace heddle::test {

class Build : public testing::Test {
protected:
  void SetUp() override {
    auto folder = TemporaryFolder::create("heddle-test");
    ASSERT_TRUE(bool(folder));
    folder_ = std::make_unique<TemporaryFolder>(std::move(*folder));
  }

  std::string path(const std::string& name) const { return folder_->file(name); }

  void source(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  // The wrapper replaces its process, so it gets one of its own; works in the test's folder. Returns the
  // status.
  int wrapper(bool cxx, const std::vector<std::string>& arguments) const {
    pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_->path().c_str()) != 0) _exit(126);
      std::vector<const char*> argv;
      for (const std::string& a : arguments)
        argv.push_back(a.c_str());
      _exit(run_compiler(cxx, argv));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int cc(const std::vector<std::string>& arguments) const { return wrapper(false, arguments); }
  int cxx(const std::vector<std::string>& arguments) const { return wrapper(true, arguments); }

  // Another program, in the test's folder.
  int run(const std::string& program, const std::vector<std::string>& arguments) const {
    ProcessOptions options;
    options.directory = folder_->path();
    auto result = run_process(program, arguments, options);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return -1;
    }
    return result->exit_status;
  }

  // Standard output and the exit status of a built program.
  std::string output_of(const std::string& program) const {
    ProcessOptions options;
    options.stdout_path = path("stdout");
    auto result = run_process(path(program), {}, options);
    if (!result) return llvm::toString(result.takeError());
    std::ifstream in(path("stdout"));
    return std::string(std::istreambuf_iterator<char>(in), {}) + "status " +
           std::to_string(result->exit_status);
  }

  std::unique_ptr<TemporaryFolder> folder_;
};

// The text of an error, hint included.
inline std::string shown(llvm::Error error) {
  std::string text;
  llvm::raw_string_ostream out(text);
  report(std::move(error), out);
  return text;
}

} // namespace heddle::test

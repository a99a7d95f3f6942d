// Runs a packet program of the tests under the profile runtime.
#pragma once

#include "code.h"
#include "profile/instrument.h"
#include "profile/raw_trace.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::test {

inline constexpr const char* runtime = HEDDLE_BINARY_DIR "/lib/heddle/libheddle_profile_rt.a";
inline constexpr const char* program_id = "0123456789abcdef";

using Environment = std::vector<std::pair<std::string, std::string>>;

class Traced {
public:
  explicit Traced(const std::string& source, const std::vector<std::string>& link = {})
      : code(source), table(normal_form()) {
    std::unique_ptr<llvm::Module> clone = llvm::CloneModule(*code.module);
    auto count = instrument(*clone, {program_id, false});
    EXPECT_TRUE(bool(count)) << llvm::toString(count.takeError());
    std::vector<std::string> extra{runtime};
    extra.insert(extra.end(), link.begin(), link.end());
    path_ = code.program(*clone, "traced", extra);
  }

  // Exit status of a run; the raw trace is then at raw().
  int run(Environment environment = {}, std::vector<std::string> args = {}) {
    environment.emplace_back("HEDDLE_PROFILE_OUT", raw());
    ProcessOptions options;
    options.environment = environment;
    options.stdout_path = code.file("stdout");
    options.timeout_seconds = 60;
    auto result = run_process(path_, args, options);
    EXPECT_TRUE(bool(result)) << llvm::toString(result.takeError());
    return result->exit_status;
  }

  llvm::Expected<Trace> read() const { return read_raw_traces(raw(), program_id); }

  Trace trace(Environment environment = {}, int status = 0) {
    EXPECT_EQ(run(environment), status);
    auto trace = read();
    EXPECT_TRUE(bool(trace)) << llvm::toString(trace.takeError());
    return trace ? std::move(*trace) : Trace{};
  }

  std::string raw() const { return code.file("raw"); }
  std::string path() const { return path_; }

  // Name of the function of each run of a packet's blocks: "heddle.body.0 work heddle.body.0".
  std::string functions(const Trace& trace, const TracedPacket& packet) const {
    std::string text, last;
    for (BlockId id : trace.blocks(packet)) {
      std::string name = table.block(id)->getParent()->getName().str();
      if (name != last) text += (text.empty() ? "" : " ") + name;
      last = name;
    }
    return text;
  }

  Code code;
  BlockTable table;

private:
  llvm::Module& normal_form() {
    code.split_after_calls();
    return *code.module;
  }

  std::string path_;
};

// Declarations that the sources of the tests begin with.
inline const std::string prelude = R"(
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>
#include <setjmp.h>
#include <signal.h>
#include <pthread.h>
#include <sys/wait.h>
int heddle_run_loop(int (*body)(void *), void *env, int64_t count);
#define BODY(name, number) \
  __attribute__((noinline)) int name(void *env) __asm__("heddle.body." #number); \
  __attribute__((noinline)) int name(void *env)
)";

} // namespace heddle::test

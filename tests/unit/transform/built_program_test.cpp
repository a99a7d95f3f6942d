// From a program built with the wrapper to the optimized one: linked, run, and staged as the plan says.
#include "ir.h"
#include "toolchain/image.h"
#include "toolchain/wrapper.h"
#include "transform/build.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace heddle;
using namespace heddle::test;

namespace {

constexpr const char* source = R"(
#include <stdio.h>
static unsigned results[100];
static const char *text;

// Without an output nothing here is shared between packets, so it may be cut anywhere.
__attribute__((noinline)) static unsigned work(unsigned value, FILE *out) {
  unsigned sum = value;
  if (out) fprintf(out, "a%u ", value);
  for (unsigned i = 0; i < value % 13; ++i) sum = sum * 31 + i;
  if (sum & 4) sum ^= sum >> 7;
  if (out) fprintf(out, "b%u ", value);
  return sum;
}

__attribute__((noinline)) static void process_batch(int count) {
  int next = 0;
  while (next < count) {
    int packet = next++;
    unsigned sum = work(packet, text ? stdout : NULL);
    results[packet] = sum;
  }
}

int main(int count, char **arguments) {
  text = count > 1 ? arguments[1] : NULL;
  process_batch(100);
  for (int i = 0; i < 100; ++i) printf("%u\n", results[i]);
  return 3;
}
)";

class BuiltProgram : public ::testing::Test {
protected:
  BuiltProgram() : folder_(cantFail(TemporaryFolder::create("heddle-test"))) {
    setenv("HEDDLE_LIB", HEDDLE_BINARY_DIR "/lib/heddle", 1);
    cantFail(write_file(path("in.c"), [](raw_ostream& out) { out << source; }));
    EXPECT_EQ(wrapper({"-O2", path("in.c"), "-o", path("program")}), 0);
  }
  ~BuiltProgram() override { unsetenv("HEDDLE_LIB"); }

  std::string path(StringRef name) const { return folder_.file(name); }

  // The wrapper replaces its process.
  static int wrapper(const std::vector<std::string>& arguments) {
    pid_t child = fork();
    if (child == 0) {
      std::vector<const char*> argv;
      for (const std::string& argument : arguments)
        argv.push_back(argument.c_str());
      _exit(run_compiler(false, argv));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string run(StringRef name, unsigned batch, std::vector<std::string> args = {}) {
    ProcessOptions options;
    options.environment = {{"HEDDLE_BATCH", std::to_string(batch)}};
    options.stdout_path = path("printed");
    auto ran = cantFail(run_process(path(name), args, options));
    EXPECT_EQ(ran.exit_status, 3);
    return cantFail(read_file(path("printed")))->getBuffer().str();
  }

  void prepare_program() {
    image_ = cantFail(load_image(path("program")));
    PrepareOptions options;
    options.bodies = {"process_batch"};
    program_ = cantFail(prepare(image_, options));
    ASSERT_EQ(program_.bodies.size(), 1u);
  }

  // Opens the call of `work` in the body and puts a site on every edge of it.
  Plan cut_everywhere() {
    const BlockTable blocks(*program_.module);
    const Function& body = *program_.bodies[0].body;
    Plan plan;
    plan.program = program_.id;
    plan.bodies.push_back(plan_for(body.getName()));
    const Function* work = program_.module->getFunction("work");
    for (const BasicBlock& block : body)
      for (const Instruction& instruction : block) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        if (call == nullptr || call->getCalledFunction() != work) continue;
        CutContext opened;
        opened.call_block = blocks.id(&block);
        opened.function = "work";
        plan.bodies[0].contexts.push_back(opened);
      }
    unsigned stage = 0;
    for (const BasicBlock& block : *work)
      for (const BasicBlock* next : successors(&block))
        plan.bodies[0].sites.push_back(site(1, blocks.id(&block), blocks.id(next), ++stage));
    return plan;
  }

  TemporaryFolder folder_;
  ProgramImage image_;
  Program program_;
};

TEST_F(BuiltProgram, PrintsTheSameAtEveryBatch) {
  prepare_program();
  Plan plan = cut_everywhere();
  ASSERT_EQ(plan.bodies[0].contexts.size(), 2u);
  ASSERT_GT(plan.bodies[0].sites.size(), 4u);
  Error built = build_program(image_, program_, plan, path("program.heddle"));
  ASSERT_FALSE(bool(built)) << message(std::move(built));
  const std::string expected = run("program", 0);
  for (unsigned batch : {0u, 1u, 2u, 8u, 32u, 64u})
    EXPECT_EQ(run("program.heddle", batch), expected) << batch;
}

TEST_F(BuiltProgram, RunsStageByStage) {
  prepare_program();
  cantFail(build_program(image_, program_, cut_everywhere(), path("program.heddle")));
  EXPECT_TRUE(StringRef(run("program.heddle", 3, {"show"})).starts_with("a0 a1 a2 b0 b1 b2 a3 a4 a5"));
  EXPECT_TRUE(StringRef(run("program.heddle", 1, {"show"})).starts_with("a0 b0 a1 b1 a2 b2"));
}

TEST_F(BuiltProgram, PlanOfAnotherBuildIsRefused) {
  prepare_program();
  Plan plan;
  plan.program = "another";
  EXPECT_NE(message(build_program(image_, program_, plan, path("out"))).find("another build"),
            std::string::npos);
  EXPECT_FALSE(sys::fs::exists(path("out")));
}

TEST_F(BuiltProgram, MissingRuntimeIsNamed) {
  setenv("HEDDLE_LIB", "/nonexistent", 1);
  auto found = runtime_library();
  ASSERT_FALSE(bool(found));
  EXPECT_NE(message(found.takeError()).find("/nonexistent/libheddle_rt.a"), std::string::npos);
}

} // namespace

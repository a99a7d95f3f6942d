// Opened calls and loops: the trace that is followed through the opened program is the one that it makes itself, and
// it does what it did before.
#include "../profile/traced.h"
#include "plan/openings.h"

#include <gmock/gmock.h>

namespace heddle {
namespace {

const std::string source = test::prelude + R"(
typedef int (*handler)(int);
struct item { handler run; int skip; };
static unsigned seen;
__attribute__((noinline)) static int add(int i) { seen += i; return 0; }
__attribute__((noinline)) static int twist(int i) { seen = seen * 31 + i; return i % 3 == 0 ? 0 : 1; }
__attribute__((noinline)) static int last(int i) { seen ^= i; return 1; }
__attribute__((noinline)) static int never(int i) { seen = i; return 1; }
static int by_value(const void *a, const void *b) { seen++; return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static int sorts(int i) {
  int values[4] = {i, i ^ 5, i * 7 % 11, 3};
  qsort(values, 4, sizeof *values, by_value);
  seen += values[i & 3];
  return 0;
}
static struct item items[] = {{add, 0}, {sorts, 0}, {twist, 1}, {add, 0}, {last, 0}, {NULL, 0}};
static handler handlers[] = {add, twist, sorts, never};

__attribute__((noinline)) static int depth(int n) { return n == 0 ? 1 : depth(n - 1) * 3 % 7; }

// Left in the middle, and at the latch; carries a value; calls what the items hold.
__attribute__((noinline)) static unsigned phases(int packet) {
  unsigned sum = packet;
  for (struct item *item = items; item->run; ++item) {
    if (item->skip && packet % 5 == 0) continue;
    int done = item->run(packet);
    sum = sum * 17 + done;
    if (done && packet % 7) return sum;
  }
  return sum + depth(packet % 4);
}

struct env { int i, n; };
BODY(body, 0) {
  struct env *e = env;
  if (e->i == e->n) return 1;
  int packet = e->i++;
  unsigned sum = phases(packet);
  sum += handlers[packet % 50 == 49 ? 2 : packet & 1](packet);
  for (int k = 0; k < packet % 50; ++k) sum += k; // too many iterations, and nothing in it
  printf("%u %u\n", sum, seen);
  return 0;
}
int main(int argc, char **argv) {
  for (int a = 1; a < argc; ++a) items[a].run = handlers[a] = last; // nobody does
  for (int batch = 0; batch < 20; ++batch) {
    struct env e = {0, 150};
    heddle_run_loop(body, &e, e.n);
  }
  return 0;
}
)";

std::string contents(const std::string& path) {
  return llvm::cantFail(read_file(path))->getBuffer().str();
}

struct Opened {
  explicit Opened(const std::string& text = source) : traced(text), before(traced.trace()) {
    program.module = llvm::CloneModule(*traced.code.module);
    openings = choose_openings(program, before);
    followed = before;
    llvm::cantFail(open_traced(program, followed, openings));
  }

  test::Traced traced;
  Trace before, followed;
  Program program;
  Openings openings;
};

TEST(Openings, HotCallsAndTheLoopOfPhasesAreChosen) {
  Opened opened;
  ASSERT_EQ(opened.openings.loops.size(), 1u);
  EXPECT_EQ(opened.openings.loops[0].function, "phases");
  EXPECT_GE(opened.openings.loops[0].iterations, 4u);
  ASSERT_EQ(opened.openings.calls.size(), 2u);
  for (const OpenedCall& call : opened.openings.calls) {
    EXPECT_EQ(call.targets.size(), call.function == "phases" ? 4u : 3u);
    EXPECT_FALSE(llvm::is_contained(call.targets, "never"));
  }
}

// One call in eight hundred, but one packet in fifty.
TEST(Openings, WhatFewCallsButManyPacketsReachIsATarget) {
  Opened opened(test::prelude + R"(
static unsigned seen;
__attribute__((noinline)) static int add(int i) { seen += i; return 0; }
__attribute__((noinline)) static int twist(int i) { seen = seen * 31 + i; return i; }
static int (*handlers[])(int) = {add, twist};
struct env { int i, n; };
BODY(body, 0) {
  struct env *e = env;
  if (e->i == e->n) return 1;
  int packet = e->i++;
  for (int k = 0; k < 16; ++k) seen ^= handlers[packet % 50 == 49 && k == 3](packet);
  return 0;
}
int main(void) {
  struct env e = {0, 1000};
  heddle_run_loop(body, &e, e.n);
  return (int)(seen & 1);
}
)");
  ASSERT_EQ(opened.openings.calls.size(), 1u);
  EXPECT_THAT(opened.openings.calls[0].targets, ::testing::ElementsAre("add", "twist"));
}

TEST(Openings, FollowedTraceIsTheOneThatTheOpenedProgramMakes) {
  Opened opened;
  std::string output = contents(opened.traced.code.file("stdout"));
  ASSERT_FALSE(output.empty());
  auto instrumented = llvm::CloneModule(*opened.program.module);
  ASSERT_TRUE(bool(instrument(*instrumented, {test::program_id, false})));
  std::string path = opened.traced.code.program(*instrumented, "opened", {test::runtime});
  ProcessOptions options;
  options.environment = {{"HEDDLE_PROFILE_OUT", opened.traced.code.file("raw2")}};
  options.stdout_path = opened.traced.code.file("stdout2");
  ASSERT_EQ(llvm::cantFail(run_process(path, {}, options)).exit_status, 0);
  EXPECT_EQ(contents(opened.traced.code.file("stdout2")), output);
  Trace made = llvm::cantFail(read_raw_traces(opened.traced.code.file("raw2"), test::program_id));
  ASSERT_EQ(made.packets.size(), opened.followed.packets.size());
  EXPECT_GT(made.events.size(), opened.before.events.size()); // comparisons
  for (size_t i = 0; i != made.packets.size(); ++i)
    ASSERT_EQ(made.blocks(made.packets[i]), opened.followed.blocks(opened.followed.packets[i]))
        << "packet " << i;
}

TEST(Openings, ThoseOfAnotherBuildAreRefused) {
  Opened opened;
  Program program;
  program.module = llvm::CloneModule(*opened.traced.code.module);
  Openings wrong = opened.openings;
  wrong.calls[0].targets[0] = "missing";
  auto origin = open_program(program, wrong);
  ASSERT_FALSE(bool(origin));
  EXPECT_NE(llvm::toString(origin.takeError()).find("there is no function missing"), std::string::npos);
  wrong = {{}, {{uint32_t(opened.traced.table.size()), 2, "f", "f.c:1"}}, {}, {}};
  origin = open_program(program, wrong);
  ASSERT_FALSE(bool(origin));
  llvm::consumeError(origin.takeError());
}

} // namespace
} // namespace heddle

// Scratch variables and errno: when each packet in flight can have its own.
#include "body.h"

namespace heddle {
namespace {

const std::string frame = R"(
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
struct packet { uint32_t length, out; };
struct frame { uint64_t index, count; struct packet **packets; uint32_t *buffer; };
int run(int argc, uint32_t *buffer) {
  struct packet *packets[8];
  for (int i = 0; i < 8; i++) packets[i] = malloc(sizeof(struct packet));
  struct frame frame = { 0, argc, packets, buffer };
  return heddle_run_loop((int (*)(void *))body, &frame, -1);
}
#define OWN struct frame *f = env; uint64_t i = f->index; f->index = i + 1; \
            if (i >= f->count) return 1; struct packet *p = f->packets[i];
NOINLINE static uint32_t sum(const uint32_t *from, int n) { uint32_t s = 0; for (int k = 0; k < n; k++) s += from[k]; return s; }
)";
const std::string plain_main = "int main(int argc, char **argv) { return run(argc, 0); }";

CutGraph graph_with(const std::string& body, const std::string& main = plain_main,
                    std::vector<std::string> without = {}) {
  return graph_of(program_of(frame + body + main), std::move(without));
}

std::string verdict_with(const std::string& body, const std::string& main = plain_main) {
  return verdict_on(graph_with(body, main), "scratch");
}

TEST(Scratch, WrittenAndReadInHelpers) {
  const std::string body = R"(static uint32_t scratch[2];
    NOINLINE static void fill(uint32_t *to, uint32_t x) { to[0] = x; to[1] = x * 3; }
    int body(void *env) { OWN fill(scratch, p->length); p->out = sum(scratch, 2); return 0; })";
  CutGraph graph = graph_with(body);
  EXPECT_EQ(verdict_on(graph, "scratch"), "scratch");
  uint32_t bytes = 0; // the optimiser makes two variables of it
  for (const ScratchVariable& variable : graph.scratch) {
    bytes += variable.bytes;
    EXPECT_TRUE(variable.global);
  }
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(verdict_on(graph_with(body, plain_main, {"scratch"}), "scratch"), "window");
}

TEST(Scratch, AHelperThatFillsTwoVariablesIsSureOfBoth) {
  CutGraph graph = graph_with(R"(static uint32_t scratch[2], other_scratch[2];
    NOINLINE static void fill(uint32_t *to, uint32_t x) { to[0] = x; to[1] = x * 3; }
    int body(void *env) { OWN fill(scratch, p->length); fill(other_scratch, p->length + 1);
                          p->out = sum(scratch, 2) ^ sum(other_scratch, 2); return 0; })");
  EXPECT_EQ(verdict_on(graph, "scratch"), "scratch");
}

TEST(Scratch, OfAThread) {
  EXPECT_EQ(verdict_with(R"(static __thread uint32_t scratch;
    NOINLINE static void set(uint32_t x) { scratch = x; }
    int body(void *env) { OWN set(p->length); p->out = scratch; return 0; })"),
            "scratch");
}

TEST(Scratch, OneByteThatNobodyWroteIsEnough) {
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch[2];
    NOINLINE static void fill(uint32_t x) { scratch[0] = x; *((uint16_t *)scratch + 2) = x; *((uint8_t *)scratch + 6) = x; }
    int body(void *env) { OWN fill(p->length); p->out = sum(scratch, 2); return 0; })"),
            "window");
}

TEST(Scratch, WrittenOnOneOfTwoPaths) {
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch;
    NOINLINE static void set(uint32_t x) { if (x & 1) scratch = x; }
    int body(void *env) { OWN set(p->length); p->out = scratch; return 0; })"),
            "window");
}

TEST(Scratch, WrittenInALoopThatMayNotRun) {
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch[4];
    NOINLINE static void fill(uint32_t n) { for (uint32_t k = 0; k < n % 4; k++) scratch[k] = k * n; }
    int body(void *env) { OWN fill(p->length); p->out = sum(scratch, p->length % 4); return 0; })"),
            "window");
}

TEST(Scratch, WrittenByAFunctionThatCallsItself) {
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch;
    NOINLINE static void down(uint32_t n, uint32_t x) { if (n) { down(n - 1, x * 3); __asm__ volatile(""); } else scratch = x; }
    int body(void *env) { OWN down(p->length & 3, p->length); p->out = scratch; return 0; })"),
            "window");
}

TEST(Scratch, WrittenAndReadOnTheWayOfAPointer) {
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch;
    NOINLINE static void one(uint32_t x) { scratch = x; }
    NOINLINE static void two(uint32_t x) { scratch = x + 1; }
    static void (*const setter[2])(uint32_t) = { one, two };
    int body(void *env) { OWN setter[p->length & 1](p->length); p->out = scratch; return 0; })"),
            "scratch");
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch;
    NOINLINE static void one(uint32_t x) { scratch = x; }
    NOINLINE static void two(uint32_t x) { __asm__ volatile(""); }
    static void (*const setter[2])(uint32_t) = { one, two };
    int body(void *env) { OWN setter[p->length & 1](p->length); p->out = scratch; return 0; })"),
            "window");
}

TEST(Scratch, ReadAfterTheLoop) {
  const std::string body = R"(static uint32_t scratch;
    NOINLINE static void set(uint32_t x) { scratch = x; }
    int body(void *env) { OWN set(p->length); p->out = scratch; return 0; })";
  EXPECT_EQ(verdict_with(body, "int main(int argc, char **argv) { run(argc, 0); return scratch; }"),
            "window");
  EXPECT_EQ(
      verdict_with(body, "int main(int argc, char **argv) { set(argc); run(argc, 0); return scratch; }"),
      "window");
  EXPECT_EQ(
      verdict_with(body, "int main(int argc, char **argv) { run(argc, 0); set(argc); return scratch; }"),
      "scratch");
}

// What was written before a call that runs packets is not what is read behind them.
TEST(Scratch, ReadAfterTheLoopByAFunctionThatRunsIt) {
  const std::string body = R"(static uint32_t scratch;
    NOINLINE static void set(uint32_t x) { scratch = x; }
    int body(void *env) { OWN set(p->length); p->out = scratch; return 0; })";
  const std::string main = "int main(int argc, char **argv) { set(argc); return serve(argc); }";
  EXPECT_EQ(verdict_with(body + "NOINLINE int serve(int n) { set(n); run(n, 0); return scratch; }", main),
            "window");
  EXPECT_EQ(verdict_with(body + "NOINLINE int serve(int n) { run(n, 0); set(n); return scratch; }", main),
            "scratch");
}

TEST(Scratch, ReadInACallbackOutside) {
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch;
    NOINLINE static void set(uint32_t x) { scratch = x; }
    int body(void *env) { OWN set(p->length); p->out = scratch; return 0; }
    static int order(const void *a, const void *b) { return scratch; })",
                         "int main(int argc, char **argv) { int a[2]; run(argc, 0); set(argc); qsort(a, 2, "
                         "4, order); return 0; }"),
            "window");
}

TEST(Scratch, AddressKeptInSharedMemory) {
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch; uint32_t *kept;
    NOINLINE static void set(uint32_t x) { scratch = x; }
    int body(void *env) { OWN set(p->length); kept = &scratch; p->out = *kept; return 0; })"),
            "window");
}

TEST(Scratch, SeenByASignalHandlerThatReadsIt) {
  EXPECT_EQ(
      verdict_with(R"(static volatile uint32_t scratch;
    static void on_signal(int number) { if (scratch) write(2, "x", 1); }
    int body(void *env) { OWN scratch = p->length; p->out = scratch; return 0; })",
                   "int main(int argc, char **argv) { signal(SIGUSR1, on_signal); return run(argc, 0); }"),
      "window");
}

TEST(Scratch, JumpsOutOfTheLoop) {
  EXPECT_EQ(
      verdict_with(R"(static uint32_t scratch; static jmp_buf out;
    NOINLINE static void set(uint32_t x) { scratch = x; if (x == 77) longjmp(out, 1); }
    int body(void *env) { OWN set(p->length); p->out = scratch; return 0; })",
                   "int main(int argc, char **argv) { if (setjmp(out)) return 1; return run(argc, 0); }"),
      "window");
}

TEST(Scratch, SeenByAnExitHandler) {
  EXPECT_EQ(verdict_with(R"(static uint32_t scratch;
    static void at_exit(void) { printf("%u", scratch); }
    NOINLINE static void set(uint32_t x) { scratch = x; if (x == 77) exit(1); }
    int body(void *env) { OWN set(p->length); p->out = scratch; return 0; })",
                         "int main(int argc, char **argv) { atexit(at_exit); return run(argc, 0); }"),
            "window");
}

const std::string own_call = R"(
    NOINLINE static long ask(const char *text) { char *end; errno = 0; long v = strtol(text, &end, 10); return errno ? -1 : v; }
    int body(void *env) { OWN p->out = ask((const char *)p); return 0; })";

TEST(Errno, ReadAfterACallThatSetsIt) {
  CutGraph graph = graph_with(own_call);
  EXPECT_EQ(verdict_on(graph, "errno"), "errno");
  EXPECT_TRUE(graph.own_errno);
  EXPECT_EQ(verdict_on(graph_with(own_call, plain_main, {"errno"}), "errno"), "window");
}

TEST(Errno, ReadWithoutSuchACall) {
  CutGraph graph = graph_with(R"(
    int body(void *env) { OWN p->out = errno; p->out += close(3); return 0; })");
  EXPECT_EQ(verdict_on(graph, "errno"), "window");
  EXPECT_FALSE(graph.own_errno);
}

TEST(Errno, DeclaredToBeThePacketsOwn) {
  Program program = program_of("#include <errno.h>\n#include <unistd.h>\n" + packet_loop +
                               "int body(void *env) { OWN p->out = errno; p->out += close(3); return 0; }");
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  options.locations.declarations = {"heddle.toml",
                                    {{"scratch", {"errno"}, "", "read after failures only", {}, {}}}};
  Analysis analysis = llvm::cantFail(analyse(program, blocks, options));
  EXPECT_EQ(verdict_on(analysis.graphs.front(), "errno"), "errno");
  EXPECT_TRUE(analysis.graphs.front().own_errno);
  EXPECT_TRUE(
      llvm::none_of(analysis.remarks, [](const Remark& r) { return r.code == "unused-declaration"; }));
}

TEST(Errno, ReadWhereACallHasFailed) {
  const char* fails = R"(
    int body(void *env) { OWN long n = read(3, p, 4); if (n < 0) p->out = errno; return 0; })";
  EXPECT_EQ(verdict_on(graph_with(fails), "errno"), "errno");
  const char* succeeds = R"(
    int body(void *env) { OWN long n = read(3, p, 4); if (n >= 0) p->out = errno; return 0; })";
  EXPECT_EQ(verdict_on(graph_with(succeeds), "errno"), "window");
  const char* either = R"(
    int body(void *env) { OWN p->out = read(3, p, 4); p->out += errno; return 0; })"; // (found by the fuzzer)
  EXPECT_EQ(verdict_on(graph_with(either), "errno"), "window");
}

TEST(Errno, ReadBeforeTheLoop) {
  EXPECT_EQ(
      verdict_on(graph_with(own_call,
                            "int main(int argc, char **argv) { if (errno) return 1; return run(argc, 0); }"),
                 "errno"),
      "errno");
}

TEST(Errno, ReadAfterTheLoopWithoutSuchACall) {
  EXPECT_EQ(
      verdict_on(graph_with(own_call, "int main(int argc, char **argv) { run(argc, 0); return errno; }"),
                 "errno"),
      "window");
}

TEST(Errno, PrintedByPercentM) {
  EXPECT_EQ(verdict_on(graph_with(R"(
    int body(void *env) { OWN printf("%m\n"); p->out = close(3); return 0; })"),
                       "errno"),
            "window");
}

} // namespace
} // namespace heddle

// Ways for a packet, a thread or a process to end.
#include "traced.h"

namespace heddle {
namespace {

const std::string loop = test::prelude + R"(
struct env { int i, n; volatile int sum; };
__attribute__((noinline)) void work(struct env *e) { for (int k = 0; k < 20; ++k) e->sum += k; }
BODY(body, 0) { struct env *e = env; work(e); return ++e->i == e->n; }
static void *batches(void *n) {
  for (int b = 0; b < 50; ++b) { struct env e = {0, (int)(intptr_t)n, 0}; heddle_run_loop(body, &e, -1); }
  return 0;
}
)";

TEST(TraceProcesses, ThreadsKeepTheirPacketsApart) {
  test::Traced program(loop + R"(
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; ++i) pthread_create(&t[i], 0, batches, (void *)10);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], 0);
  return 0;
}
)");
  Trace trace = program.trace();
  ASSERT_EQ(trace.packets.size(), 2000u);
  for (const TracedPacket& packet : trace.packets)
    EXPECT_EQ(program.functions(trace, packet).substr(0, 18), "heddle.body.0 work");
  for (size_t i = 0; i < 2000; i += 10)
    EXPECT_EQ(trace.packets[i].batch, trace.packets[i + 9].batch);
}

TEST(TraceProcesses, TheWorkerWithThePacketsIsChosen) {
  test::Traced program(loop + R"(
int main(void) {
  batches((void *)1);
  if (fork() == 0) { batches((void *)10); _exit(0); }
  if (fork() == 0) return 0;
  while (wait(0) > 0) {}
  return 0;
}
)");
  EXPECT_EQ(program.trace().packets.size(), 500u);
}

TEST(TraceProcesses, SurvivesAProgramThatClosesAllDescriptors) {
  test::Traced program(loop + R"(
int main(void) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  batches((void *)10);
  return 0;
}
)");
  EXPECT_EQ(program.trace().packets.size(), 500u);
}

TEST(TraceProcesses, TerminatedServerIsComplete) {
  test::Traced program(loop + "int main(void) { batches((void *)10); raise(SIGTERM); return 0; }");
  EXPECT_EQ(program.trace({}, 128 + SIGTERM).packets.size(), 500u);
}

TEST(TraceProcesses, CompleteSampleOutlivesAKill) {
  test::Traced program(loop + "int main(void) { batches((void *)10); raise(SIGKILL); return 0; }");
  EXPECT_GE(program.trace({{"HEDDLE_PROFILE_COUNT", "100"}}, 128 + SIGKILL).packets.size(), 100u);
}

TEST(TraceProcesses, KilledBeforeTheSampleIsComplete) {
  test::Traced program(loop + "int main(void) { batches((void *)10); raise(SIGKILL); return 0; }");
  EXPECT_EQ(program.run(), 128 + SIGKILL);
  auto trace = program.read();
  ASSERT_FALSE(bool(trace));
  EXPECT_NE(llvm::toString(trace.takeError()).find("killed before its trace was complete"),
            std::string::npos);
}

TEST(TraceProcesses, PacketLeftByLongjmpIsDropped) {
  test::Traced program(test::prelude + R"(
static jmp_buf out;
struct env { int i, n; };
__attribute__((noinline)) void leave(void) { longjmp(out, 1); }
BODY(body, 0) {
  struct env *e = env;
  if (++e->i % 10 == 0) leave();
  return e->i == e->n;
}
int main(void) {
  volatile struct env e = {0, 95};
  if (setjmp(out) || 1) heddle_run_loop(body, (void *)&e, -1);
  return 0;
}
)");
  Trace trace = program.trace();
  EXPECT_EQ(trace.packets_dropped, 9u);
  EXPECT_GE(trace.packets.size(), 85u); // the last call may look like a loop test
}

TEST(TraceProcesses, PacketLongerThanTheBufferIsDropped) {
  test::Traced program(test::prelude + R"(
struct env { int i, n; volatile long sum; };
__attribute__((noinline)) void work(struct env *e) { e->sum++; }
BODY(body, 0) {
  struct env *e = env;
  long rounds = e->i == 1 ? 10000000 : 10;
  for (long k = 0; k < rounds; ++k) work(e);
  return ++e->i == e->n;
}
int main(void) { struct env e = {0, 4, 0}; heddle_run_loop(body, &e, 4); return 0; }
)");
  Trace trace = program.trace();
  EXPECT_EQ(trace.packets_dropped, 1u);
  EXPECT_EQ(trace.packets.size(), 3u);
}

} // namespace
} // namespace heddle

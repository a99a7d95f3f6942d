// What the profile runtime records of a plain packet loop.
#include "traced.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace heddle {
namespace {

const std::string loop = test::prelude + R"(
__attribute__((noinline)) void odd(int i) { printf("odd %d\n", i); }
__attribute__((noinline)) void even(int i) { printf("even %d\n", i); }
struct env { int i, n; };
BODY(body, 0) {
  struct env *e = env;
  if (e->i == e->n) return 1;
  int i = e->i++;
  if (i & 1) odd(i); else even(i);
  return 0;
}
int main(int argc, char **argv) {
  int exit = 0;
  for (int batch = 0; batch < 100; ++batch) {
    struct env e = {0, 10};
    exit = heddle_run_loop(body, &e, e.n);
  }
  return exit == 1 ? 0 : 2;
}
)";

TEST(TracePackets, EachPacketsPathInOrder) {
  test::Traced program(loop);
  Trace trace = program.trace();
  ASSERT_EQ(trace.packets.size(), 1000u); // the calls that only ended the loop are not packets
  EXPECT_EQ(trace.packets_dropped, 0u);
  EXPECT_EQ(program.functions(trace, trace.packets[0]), "heddle.body.0 even heddle.body.0");
  EXPECT_EQ(program.functions(trace, trace.packets[1]), "heddle.body.0 odd heddle.body.0");
  for (size_t i = 2; i < trace.packets.size(); ++i)
    EXPECT_TRUE(trace.blocks(trace.packets[i]) == trace.blocks(trace.packets[i % 2]));
}

TEST(TracePackets, BatchIsOneCallOfTheLoop) {
  test::Traced program(loop);
  Trace trace = program.trace();
  ASSERT_EQ(trace.packets.size(), 1000u);
  for (size_t i = 0; i < 1000; ++i)
    EXPECT_EQ(trace.packets[i].batch, i / 10);
}

TEST(TracePackets, EveryStepFollowsAnEdge) {
  test::Traced program(loop);
  Trace trace = program.trace();
  for (const TracedPacket& packet : trace.packets) {
    llvm::ArrayRef<BlockId> blocks = trace.blocks(packet);
    for (size_t i = 1; i < blocks.size(); ++i) {
      const llvm::BasicBlock *from = program.table.block(blocks[i - 1]), *to = program.table.block(blocks[i]);
      bool edge = llvm::is_contained(llvm::successors(from), to);
      bool returns = llvm::isa<llvm::ReturnInst>(from->getTerminator());
      EXPECT_TRUE(edge || returns || to->isEntryBlock());
    }
  }
}

TEST(TracePackets, SampleIsSpreadOverTheInput) {
  test::Traced program(loop);
  ASSERT_EQ(program.run({{"HEDDLE_PROFILE_COUNT", "100"}, {"HEDDLE_PROFILE_RUN", "10"}}), 0);
  Trace all = llvm::cantFail(program.read());
  EXPECT_GE(all.packets_seen, 1000u);
  EXPECT_LE(all.packets.size(), 500u); // 100 + 100 ln 10, and then some because batches stay whole
  Trace sample = llvm::cantFail(read_raw_traces(program.raw(), test::program_id, {100, 10}));
  EXPECT_NEAR(double(sample.packets.size()), 100, 30);
  unsigned in_tenth[10] = {};
  for (const TracedPacket& packet : sample.packets)
    ++in_tenth[packet.batch / 10];
  for (unsigned tenth : in_tenth)
    EXPECT_NEAR(tenth, 10, 6);
}

TEST(TracePackets, ShareTakesRunsOfWholeBatches) {
  test::Traced program(loop);
  Trace trace = program.trace({{"HEDDLE_PROFILE_SHARE", "25"}, {"HEDDLE_PROFILE_RUN", "20"}});
  EXPECT_NEAR(double(trace.packets.size()), 250, 50);
  EXPECT_EQ(trace.packets.size() % 10, 0u);
  unsigned neighbours = 0;
  for (size_t i = 10; i < trace.packets.size(); i += 10)
    neighbours += trace.packets[i].batch == trace.packets[i - 10].batch + 1;
  EXPECT_GE(neighbours, trace.packets.size() / 10 / 2 - 1);
}

TEST(TracePackets, OffWithoutAnOutputFile) {
  test::Traced program(loop);
  ProcessOptions options;
  options.stdout_path = "/dev/null";
  EXPECT_EQ(llvm::cantFail(run_process(program.path(), {}, options)).exit_status, 0);
}

TEST(TracePackets, PacketsOfAnInnerLoopNest) {
  test::Traced program(test::prelude + R"(
struct env { int i, n; volatile int sum; };
BODY(inner, 1) {
  struct env *e = env;
  for (int k = 0; k < 8; ++k) e->sum += k;
  return ++e->i == e->n;
}
BODY(outer, 0) {
  struct env *e = env, in = {0, 3, 0};
  heddle_run_loop(inner, &in, 3);
  e->sum += in.sum;
  return ++e->i == e->n;
}
int main(void) {
  struct env e = {0, 5, 0};
  heddle_run_loop(outer, &e, 5);
  return 0;
}
)");
  Trace trace = program.trace();
  ASSERT_EQ(trace.packets.size(), 20u);
  EXPECT_EQ(trace.packets[0].body, 0u);
  EXPECT_EQ(trace.packets[1].body, 1u);
  EXPECT_GE(trace.packets[1].begin, trace.packets[0].begin);
  EXPECT_LE(trace.packets[3].end, trace.packets[0].end);
  trace.keep_body(1);
  EXPECT_EQ(trace.packets.size(), 15u);
}

} // namespace
} // namespace heddle

#include "body.h"

#include "llvm/IR/Instructions.h"

namespace heddle {
namespace {

BodyGraph graph_of_body(const Program& program, std::function<bool(const llvm::BasicBlock*)> hot = nullptr) {
  OpenOptions options;
  options.hot = std::move(hot);
  return build_body_graph(*program.bodies.front().body, options);
}

const std::string helpers = R"(
NOINLINE static int leaf(int x) { __asm__ volatile("" ::: "memory"); return x * 3; }
NOINLINE static int middle(int x) { int y = leaf(x); return y > 4 ? leaf(y) : y; }
)";

TEST(BodyGraph, EachCallSiteHasItsOwnContext) {
  Program program = program_of(helpers + "int body(void *env) { return leaf(1) + middle(2) > 1000; }");
  BodyGraph graph = graph_of_body(program);
  EXPECT_EQ(graph.contexts.size(), 5u); // body, leaf, middle, leaf twice below middle
  EXPECT_FALSE(graph.exits.empty());
}

TEST(BodyGraph, CallInALoopStaysClosed) {
  Program program = program_of(helpers + R"(int body(void *env) { int s = 0;
    for (int i = 0; i < *(int *)env; i++) s += leaf(i); return s > 1000; })");
  EXPECT_EQ(graph_of_body(program).contexts.size(), 1u);
}

TEST(BodyGraph, RecursionStaysClosed) {
  Program program = program_of(R"(
    NOINLINE static int down(int n) { __asm__ volatile("" ::: "memory"); if (n <= 0) return 1; int a = down(n - 1);
                                      return a + down(n - 2); }
    int body(void *env) { return down(*(int *)env) > 1000; })");
  EXPECT_EQ(graph_of_body(program).contexts.size(), 2u);
}

TEST(BodyGraph, ColdCallStaysClosed) {
  Program program = program_of(helpers + "int body(void *env) { return leaf(1) + middle(2) > 1000; }");
  EXPECT_EQ(graph_of_body(program, [](const llvm::BasicBlock*) { return false; }).contexts.size(), 1u);
}

TEST(BodyGraph, ReturnSiteStandsInTheCaller) {
  Program program = program_of(helpers + "int body(void *env) { return leaf(1) + leaf(2) > 1000; }");
  BodyGraph graph = graph_of_body(program);
  bool seen = false;
  for (const BodyEdge& edge : graph.edges)
    if (edge.site_possible && graph.nodes[edge.from].context != graph.nodes[edge.to].context) {
      seen = true;
      EXPECT_EQ(edge.site_context, graph.nodes[edge.to].context);
      EXPECT_EQ(edge.site_from->getSingleSuccessor(), edge.site_to);
    }
  EXPECT_TRUE(seen);
}

// A packet that was suspended on its way out of the loop let the next one start: found by the fuzzer.
TEST(BodyGraph, TheWayOutOfTheLoopHoldsNoSite) {
  Program program = program_of(helpers + R"(int body(void *env) { int *n = env;
    if (leaf(n[0]) == 7) return 2; n[1] = middle(n[2]); return 0; })");
  BodyGraph graph = graph_of_body(program);
  ASSERT_EQ(graph.leaving.size(), 1u);
  const llvm::BasicBlock* last = nullptr;
  for (const llvm::BasicBlock& block : *program.bodies.front().body)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) last = &block;
  for (const BodyEdge& edge : graph.edges)
    EXPECT_FALSE(edge.from == graph.leaving.front() && graph.nodes[edge.to].block == last);
}

TEST(BodyGraph, AnExitDecidedAtTheEndHoldsTheBodyTogether) {
  Program program =
      program_of(helpers + "int body(void *env) { int *n = env; leaf(n[0]); return middle(n[2]) > 9; }");
  for (const SharedLocation& location : graph_of(program).locations)
    if (location.name == "control of the packet loop") {
      EXPECT_NE(location.reason.find("at its end"), std::string::npos) << location.reason;
      return;
    }
  FAIL() << "no location for the loop's control";
}

} // namespace
} // namespace heddle

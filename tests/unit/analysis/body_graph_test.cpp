#include "body.h"

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

} // namespace
} // namespace heddle

// What counts as an update by one commutative operation, and what only looks like one.
#include "body.h"

#include "llvm/IR/Instructions.h"

namespace heddle {
namespace {

const std::string frame = packet_loop + R"(
uint32_t seen, newest, other;
)";

CutGraph graph_with(const std::string& body, std::vector<std::string> without = {}) {
  return graph_of(program_of(frame + body), std::move(without));
}
std::string verdict(const std::string& body) {
  return verdict_on(graph_with(body), "seen");
}

TEST(Updates, InAHelperFunction) {
  EXPECT_EQ(verdict(R"(
    NOINLINE static void add(uint32_t *to, uint32_t n) { *to += n; }
    int body(void *env) { OWN add(&seen, p->length); add(&other, 1); add(&seen, 1); return 0; })"),
            "commutative");
}

TEST(Updates, InAHelperFunctionCalledThroughAPointer) {
  EXPECT_EQ(verdict(R"(
    NOINLINE static void add(uint32_t *to, uint32_t n) { *to += n; }
    void (*update)(uint32_t *, uint32_t) = add;
    int body(void *env) { OWN update(&seen, p->length); seen += i; return 0; })"),
            "commutative");
}

TEST(Updates, AtomicOnesWhoseResultIsNotUsed) {
  const char* add = R"(
    NOINLINE static uint32_t add(uint32_t *to, uint32_t n) { return __atomic_fetch_add(to, n, __ATOMIC_RELAXED); })";
  EXPECT_EQ(verdict(std::string(add) + "int body(void *env) { OWN add(&seen, p->length); return 0; }"),
            "commutative");
  EXPECT_EQ(
      verdict(std::string(add) + "int body(void *env) { OWN p->out = add(&seen, p->length); return 0; }"),
      "window");
}

TEST(Updates, ElementsOfATableAndOneOfThemByName) {
  CutGraph graph = graph_with(R"(
    struct { uint64_t hits, bytes; } table[256];
    NOINLINE static void hit(uint32_t n) { table[n & 255].hits++; }
    int body(void *env) { OWN hit(p->length); hit(i); table[3].hits++; return 0; })");
  EXPECT_EQ(verdict_on(graph, "table"), "commutative");
}

TEST(Updates, HalvesOfAnotherAreNone) {
  EXPECT_EQ(verdict(R"(
    int body(void *env) { OWN seen += p->length; *((uint16_t *)&seen + 1) += 1; return 0; })"),
            "window");
  CutGraph graph = graph_with(R"(
    struct __attribute__((packed)) { uint8_t kind; uint32_t hits; } packed[8];
    int body(void *env) { OWN ((uint32_t *)((char *)packed + p->length))[0]++; packed[p->out & 7].hits++; return 0; })");
  EXPECT_EQ(verdict_on(graph, "packed"), "window");
}

TEST(Updates, MaximumByABranch) {
  CutGraph graph = graph_with(R"(
    NOINLINE static void work(struct packet *p) { p->out = p->out * 3 + 1; }
    int body(void *env) { OWN if (p->length > seen) seen = p->length; work(p); uint32_t n = i; if (seen < n) seen = n; return 0; })");
  EXPECT_EQ(verdict_on(graph, "seen"), "commutative");
  unsigned closed = 0;
  for (const CutEdge& edge : graph.edges)
    closed += !edge.site_possible && edge.site_context == 0 && edge.site_from;
  EXPECT_EQ(closed, 2u); // no site between comparing and storing
}

TEST(Updates, MinimumByASelection) {
  EXPECT_EQ(verdict("int body(void *env) { OWN seen = p->length < seen ? p->length : seen; return 0; }"),
            "commutative");
}

TEST(Updates, MaximumAndMinimumDoNotCommute) {
  EXPECT_EQ(verdict(R"(
    int body(void *env) { OWN if (p->length > seen) seen = p->length; else if (i < seen) seen = i; return 0; })"),
            "window");
}

TEST(Updates, SignedAndUnsignedMaximaDoNotCommute) {
  EXPECT_EQ(verdict(R"(
    int body(void *env) { OWN if (p->length > seen) seen = p->length;
                          if ((int)p->out > (int)seen) seen = p->out; return 0; })"),
            "window");
}

TEST(Updates, AMaximumThatDecidesMoreIsNone) {
  EXPECT_EQ(verdict(R"(
    int body(void *env) { OWN if (p->length > seen) { seen = p->length; newest = i; } return 0; })"),
            "window");
  EXPECT_EQ(verdict(R"(
    int body(void *env) { OWN if (p->length > seen) { seen = p->length; p->out = 1; } else p->out = 2; return 0; })"),
            "window");
}

TEST(Updates, AThresholdIsNoMaximum) {
  EXPECT_EQ(verdict("int body(void *env) { OWN if (p->length > seen) seen = p->out; return 0; }"), "window");
}

TEST(Updates, SaturatingCountersAreNone) {
  EXPECT_EQ(verdict("int body(void *env) { OWN if (seen < 1000) seen++; return 0; }"), "window");
  EXPECT_EQ(
      verdict("int body(void *env) { OWN seen = __builtin_elementwise_add_sat(seen, p->length); return 0; }"),
      "window");
}

TEST(Updates, AStoreInRareCodeIsNone) {
  Program program = program_of(frame + R"(
    int body(void *env) { OWN if (p->length > seen) seen = p->length; return 0; })");
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  options.rare = [&](BlockId id) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&blocks.block(id)->front());
    return store && store->getPointerOperand()->getName() == "seen";
  };
  Analysis analysis = llvm::cantFail(analyse(program, blocks, options));
  EXPECT_EQ(verdict_on(analysis.graphs.front(), "seen"), "rare-path");
}

TEST(Clocks, AreReadInAnyOrder) {
  const char* body = R"(
    long time(long *);
    int body(void *env) { OWN p->out = time(0); p->length += 3; p->out ^= time(0); return 0; })";
  EXPECT_EQ(verdict_on(graph_with(body), "time"), "time");
  EXPECT_EQ(verdict_on(graph_with(body, {"time"}), "time"), "window");
}

TEST(Clocks, ThatPacketsWaitForAreNot) {
  CutGraph graph = graph_with(R"(
    long time(long *);
    unsigned sleep(unsigned);
    int body(void *env) { OWN p->out = time(0); sleep(1); return 0; })");
  EXPECT_EQ(verdict_on(graph, "time"), "window");
}

} // namespace
} // namespace heddle

#include "body.h"

#include <algorithm>
#include <set>

namespace heddle {
namespace {

CutGraph graph_with(const std::string& body, std::vector<std::string> without = {}) {
  return graph_of(program_of(packet_loop + body), std::move(without));
}

TEST(Verdicts, CounterIsCommutative) {
  const char* body = "uint32_t seen; int body(void *env) { OWN seen += p->length; return 0; }";
  EXPECT_EQ(verdict_on(graph_with(body), "seen"), "commutative");
  EXPECT_EQ(verdict_on(graph_with(body, {"commutative"}), "seen"), "window");
}

TEST(Verdicts, CounterThatIsReadIsNot) {
  CutGraph graph =
      graph_with("uint32_t seen; int body(void *env) { OWN seen += p->length; p->out = seen; return 0; }");
  EXPECT_EQ(verdict_on(graph, "seen"), "window");
}

TEST(Verdicts, CounterReadInAnotherFunctionIsNot) {
  CutGraph graph = graph_with(R"(uint32_t seen;
    NOINLINE static void look(struct packet *p) { p->out = seen; }
    int body(void *env) { OWN seen += p->length; look(p); return 0; })");
  EXPECT_EQ(verdict_on(graph, "seen"), "window");
}

TEST(Verdicts, TwoDifferentOperationsDoNotCommute) {
  CutGraph graph = graph_with("uint32_t mixed; int body(void *env) { OWN if (p->length & 1) mixed += "
                              "p->length; else mixed |= p->length; return 0; }");
  EXPECT_EQ(verdict_on(graph, "mixed"), "window");
}

TEST(Verdicts, TableThatIsOnlyReadIsFree) {
  CutGraph graph =
      graph_with("uint32_t table[16]; int body(void *env) { OWN p->out = table[p->length & 15]; return 0; }");
  EXPECT_EQ(verdict_on(graph, "table"), "read-only");
}

TEST(Verdicts, ScratchStaticIsAWindowWithoutTheRelaxation) {
  CutGraph graph = graph_with(R"(uint32_t scratch;
    NOINLINE static void fill(struct packet *p) { scratch = p->length; }
    int body(void *env) { OWN fill(p); p->out = scratch; return 0; })",
                              {"scratch"});
  EXPECT_EQ(verdict_on(graph, "scratch"), "window");
}

TEST(Verdicts, FieldsOfOneObjectAreSeparate) {
  CutGraph graph = graph_with(R"(struct { uint32_t hits, mode; } state;
    int body(void *env) { OWN state.hits++; p->out = state.mode; return 0; })");
  EXPECT_EQ(verdict_on(graph, "hits"), "commutative");
  EXPECT_EQ(verdict_on(graph, "only read"), "read-only");
}

TEST(Verdicts, AllocationThatStaysIsPrivate) {
  CutGraph graph = graph_with(R"(
    NOINLINE static uint32_t work(uint32_t *m) { __asm__ volatile("" ::: "memory"); return m[0] ^ m[1]; }
    int body(void *env) { OWN uint32_t *m = malloc(8); if (!m) return 0; m[0] = i; m[1] = p->length;
                          p->out = work(m); free(m); return 0; })");
  bool found = false;
  for (const SharedLocation& location : graph.locations)
    if (llvm::StringRef(location.name).starts_with("heap") &&
        !llvm::StringRef(location.name).contains("main")) {
      EXPECT_EQ(location.verdict, "packet-private") << location.name;
      found = true;
    }
  EXPECT_TRUE(found);
  EXPECT_EQ(verdict_on(graph, "allocator"), "allocator");
}

TEST(Verdicts, AllocationThatIsKeptIsShared) {
  CutGraph graph = graph_with(R"(struct node { struct node *next; uint32_t n; } *list;
    int body(void *env) { OWN struct node *n = malloc(sizeof *n); if (!n) return 0; n->n = p->length; n->next = list;
                          list = n; return 0; })");
  EXPECT_NE(verdict_on(graph, "in heddle.body.0"), "packet-private");
  EXPECT_EQ(verdict_on(graph, "list"), "window");
}

TEST(Verdicts, ExitAndEntryAreOneLocation) {
  CutGraph graph = graph_with(R"(
    NOINLINE static uint32_t check(struct packet *p) { return p->length == 7; }
    int body(void *env) { OWN if (check(p)) return 2; p->out = 1; return 0; })");
  for (const SharedLocation& location : graph.locations)
    if (location.name == "control of the packet loop") {
      EXPECT_GE(location.accesses.size(), 2u);
      return;
    }
  FAIL() << "no location for the loop's control";
}

TEST(Verdicts, PacketsThatAreOrdinaryMemoryAreShared) {
  CutGraph graph = graph_with("int body(void *env) { OWN p->out = p->length; return 0; }");
  bool written = false;
  for (const SharedLocation& location : graph.locations)
    written |= llvm::StringRef(location.name).contains("in main") && location.verdict == "window";
  EXPECT_TRUE(written);
}

// Nothing assigns to hooks: null, or the analysis has lost an assignment. Then it may lead anywhere.
const char* untraced = R"(
    uint32_t table[16];
    static uint32_t **hooks;
    __attribute__((constructor)) static void start(void) { hooks = calloc(4, sizeof *hooks); }
    NOINLINE static void use(struct packet *p) { uint32_t *hook = hooks[p->length & 3]; if (hook) *hook = 1; }
    int body(void *env) { OWN use(p); p->out = table[p->length & 15]; return 0; })";

TEST(Verdicts, UntracedPointerHoldsEverySharedLocation) {
  CutGraph graph = graph_with(untraced);
  EXPECT_EQ(verdict_on(graph, "untraced"), "window");
  auto nodes_of = [&](llvm::StringRef name) {
    std::set<uint32_t> nodes;
    for (const SharedLocation& location : graph.locations)
      if (llvm::StringRef(location.name).contains(name))
        for (const LocationAccess& access : location.accesses)
          nodes.insert(access.node);
    return nodes;
  };
  std::set<uint32_t> held = nodes_of("untraced"), read = nodes_of("table");
  EXPECT_FALSE(read.empty());
  EXPECT_TRUE(std::includes(held.begin(), held.end(), read.begin(), read.end()));
}

TEST(Verdicts, UntracedPointerIsARemark) {
  Program program = program_of(packet_loop + untraced);
  BlockTable blocks(*program.module);
  Analysis analysis = llvm::cantFail(analyse(program, blocks, {}));
  EXPECT_TRUE(llvm::any_of(analysis.remarks, [](const Remark& r) { return r.code == "untraced-pointer"; }));
}

TEST(Verdicts, TracedPointersAreNoRemark) {
  Program program = program_of(packet_loop + R"(
    #include <ctype.h>
    uint32_t a, *hooks[4] = {&a};
    int body(void *env) { OWN uint32_t *hook = hooks[p->length & 3]; if (hook) *hook = 1;
                          p->out = isalpha(p->length); return 0; })");
  BlockTable blocks(*program.module);
  Analysis analysis = llvm::cantFail(analyse(program, blocks, {}));
  EXPECT_TRUE(llvm::none_of(analysis.remarks, [](const Remark& r) { return r.code == "untraced-pointer"; }));
}

} // namespace
} // namespace heddle

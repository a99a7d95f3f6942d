// Declared groups: what is touched within their calls only is free, and anything else is not.
#include "body.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace heddle {
namespace {

// A list that packets push themselves onto, by two functions that are small enough to be inlined.
const std::string frame = R"(
struct packet { struct packet *next; uint32_t length, out; };
struct frame { uint64_t index, count; struct packet **packets; };
struct node { struct node *next; uint32_t key; } *head;
uint32_t total, last;
static void push(uint32_t key) { struct node *n = malloc(sizeof *n); n->key = key; n->next = head; head = n; }
static void bump(uint32_t by) { total = total * 3 + by; }
int main(int argc, char **argv) {
  struct packet *packets[8];
  for (int i = 0; i < 8; i++) packets[i] = malloc(sizeof(struct packet));
  struct frame frame = { 0, argc, packets };
  heddle_run_loop((int (*)(void *))body, &frame, -1);
  push(0); bump(0);
  for (struct node *n = head; n; n = n->next) total += n->key;
  return total;
}
#define OWN struct frame *f = env; uint64_t i = f->index; f->index = i + 1; \
            if (i >= f->count) return 1; struct packet *p = f->packets[i];
)";

Declaration commute(std::vector<std::string> functions) {
  return {"commute", std::move(functions), "iteration order", "nobody looks", {}, {}};
}

struct Declared {
  std::vector<Declaration> all;
  std::string without = {};
  bool rare = false;
};

Analysis analysis_of(const std::string& body, const Declared& declared, Program* keep = nullptr) {
  AnalysisOptions options;
  options.locations.declarations = {"heddle.toml", declared.all};
  if (!declared.without.empty()) options.locations.without.insert(declared.without);
  Program program = program_of(frame + body, options.locations.declarations.functions());
  BlockTable blocks(*program.module);
  if (declared.rare) options.rare = [](BlockId) { return true; };
  Analysis analysis = llvm::cantFail(analyse(program, blocks, options));
  analysis.points_to.reset(); // refers to the program
  if (keep) *keep = std::move(program);
  return analysis;
}

CutGraph graph_with(const std::string& body, const Declared& declared) {
  return std::move(analysis_of(body, declared).graphs.front());
}

const char* two_pushes = "int body(void *env) { OWN push(p->length); p->out = i; push(p->out); return 0; }";

TEST(Commuting, WhatOnlyCallsOfTheGroupTouchIsFree) {
  CutGraph graph = graph_with(two_pushes, {{commute({"push"})}});
  EXPECT_EQ(verdict_on(graph, "head"), "commuting");
  auto head = llvm::find_if(graph.locations, [](const SharedLocation& l) { return l.name == "head"; });
  ASSERT_NE(head, graph.locations.end());
  EXPECT_THAT(head->reason, HasSubstr("push"));
  EXPECT_THAT(head->reason, HasSubstr("iteration order): nobody looks"));
}

TEST(Commuting, WithoutTheDeclarationItIsAWindow) {
  EXPECT_EQ(verdict_on(graph_with(two_pushes, {}), "head"), "window");
  EXPECT_EQ(verdict_on(graph_with(two_pushes, {{commute({"push"})}, "commuting"}), "head"), "window");
}

TEST(Commuting, AnAccessOutsideMakesAWindowWithAllThatItConflictsWith) {
  CutGraph graph =
      graph_with("int body(void *env) { OWN push(p->length); p->out = head->key; push(i); return 0; }",
                 {{commute({"push"})}});
  ASSERT_EQ(verdict_on(graph, "head"), "window");
  for (const SharedLocation& location : graph.locations)
    if (location.name == "head") EXPECT_EQ(location.accesses.size(), 2u); // the second block has two
}

TEST(Commuting, AWriteOutsideMakesAWindowWithReadsWithin) {
  CutGraph graph = graph_with(R"(
    uint32_t limit;
    NOINLINE static uint32_t under(uint32_t x) { return x < limit; }
    int body(void *env) { OWN p->out = under(p->length); limit = p->out; return 0; })",
                              {{commute({"under"})}});
  EXPECT_EQ(verdict_on(graph, "limit"), "window");
}

TEST(Commuting, TwoGroupsAreStrangeToEachOther) {
  const char* body = R"(
    static void other(void) { head = head ? head->next : 0; }
    int body(void *env) { OWN push(p->length); other(); return 0; })";
  EXPECT_EQ(verdict_on(graph_with(body, {{commute({"push"}), commute({"other"})}}), "head"), "window");
  EXPECT_EQ(verdict_on(graph_with(body, {{commute({"push", "other"})}}), "head"), "commuting");
}

TEST(Commuting, NestedCallsAreWithinBothGroups) {
  const char* body = R"(
    static void both(uint32_t x) { push(x); bump(x); }
    int body(void *env) { OWN both(p->length); push(i); return 0; })";
  CutGraph graph = graph_with(body, {{commute({"push"}), commute({"both"})}});
  EXPECT_EQ(verdict_on(graph, "head"), "commuting");
  EXPECT_EQ(verdict_on(graph, "total"), "commuting");
  graph = graph_with(body, {{commute({"both"})}});
  EXPECT_EQ(verdict_on(graph, "head"), "window");
}

TEST(Commuting, ArgumentRecordsTouchedOutsideAreNoPartOfIt) {
  CutGraph graph = graph_with(R"(
    struct packet *queue;
    static void post(struct packet *p) { p->next = queue; queue = p; }
    int body(void *env) { OWN p->out = p->next != 0; post(p); return 0; })",
                              {{commute({"post"})}});
  EXPECT_EQ(verdict_on(graph, "queue"), "commuting");
  bool held = false;
  for (const SharedLocation& location : graph.locations)
    held |= location.verdict == "window" && llvm::StringRef(location.name).contains("heap");
  EXPECT_TRUE(held);
}

TEST(Commuting, OutputWithinStaysInOrder) {
  CutGraph graph = graph_with(R"(
    int puts(const char *);
    static void note(uint32_t x) { total = total * 3 + x; puts("noted"); }
    int body(void *env) { OWN note(p->length); p->out = 1; note(i); return 0; })",
                              {{commute({"note"})}});
  EXPECT_EQ(verdict_on(graph, "total"), "commuting");
  EXPECT_EQ(verdict_on(graph, "standard I/O channel"), "window");
}

TEST(Commuting, AGroupThatMayExitIsNotUsed) {
  Analysis analysis = analysis_of(R"(
    static void check(uint32_t x) { last = last * 3 + x; if (x > 7) exit(1); }
    int body(void *env) { OWN check(p->length); return 0; })",
                                  {{commute({"check"})}});
  EXPECT_EQ(verdict_on(analysis.graphs.front(), "last"), "window");
  auto remark =
      llvm::find_if(analysis.remarks, [](const Remark& r) { return r.code == "commuting-group-not-atomic"; });
  ASSERT_NE(remark, analysis.remarks.end());
  EXPECT_THAT(remark->what, HasSubstr("check: at p.c:"));
}

TEST(Commuting, WhatExitHandlersReadIsInOrder) {
  CutGraph graph = graph_with(R"(
    void seen(void) { if (total == 7) abort(); }
    __attribute__((constructor)) static void start(void) { atexit(seen); }
    int body(void *env) { OWN bump(p->length); p->out = 1; bump(i); if (p->out > 3) exit(0); return 0; })",
                              {{commute({"bump"})}});
  EXPECT_EQ(verdict_on(graph, "total"), "rare-path");
}

TEST(Commuting, NoRareCodeWithinACall) {
  Program program;
  Analysis analysis = analysis_of(R"(
    NOINLINE static void below(uint32_t x) { if (x > 3) last = last * 3 + x; }
    static void outer(uint32_t x) { below(x); }
    int body(void *env) { OWN outer(p->length); if (p->length > 3) p->out = 1; return 0; })",
                                  {{commute({"outer"})}, "", true}, &program);
  BlockTable blocks(*program.module);
  EXPECT_FALSE(analysis.graphs.front().gates.empty());
  for (BlockId gate : analysis.graphs.front().gates) {
    llvm::StringRef function = blocks.block(gate)->getParent()->getName();
    EXPECT_TRUE(function != "below" && function != "outer") << function.str();
  }
}

// Both tables are set up by one function, so any insertion may run what either weighs with.
const char* two_tables = R"(
    static struct table { uint32_t (*weigh)(uint32_t); uint32_t sum; } mine, others;
    static uint32_t light(uint32_t x) { return x + 1; }
    static uint32_t heavy(uint32_t x) { total = total * 3 + x; if (x > 70) exit(2); return x; }
    NOINLINE static void set(struct table *t, uint32_t (*weigh)(uint32_t)) { t->weigh = weigh; }
    __attribute__((constructor)) static void start(int n) {
      set(n & 1 ? &mine : &others, n & 1 ? light : heavy); set(n & 1 ? &others : &mine, n & 1 ? heavy : light); }
    NOINLINE static void insert(struct table *t, uint32_t x) { t->sum = t->sum * 5 + t->weigh(x); }
    static void put(uint32_t x) { insert(&mine, x); }
    int body(void *env) { OWN put(p->length); others.sum += others.weigh(1); p->out = 1; put(i); return 0; })";

TEST(Commuting, WhatCallsThroughPointersRunMayBeDeclared) {
  Declaration group = commute({"put"});
  Analysis analysis = analysis_of(two_tables, {{group}});
  EXPECT_EQ(verdict_on(analysis.graphs.front(), "mine.sum"), "window");
  EXPECT_TRUE(
      llvm::any_of(analysis.remarks, [](const Remark& r) { return r.code == "commuting-group-not-atomic"; }));
  group.through_pointers = {"light"};
  CutGraph graph = graph_with(two_tables, {{group}});
  EXPECT_EQ(verdict_on(graph, "mine.sum"), "commuting");
  EXPECT_EQ(verdict_on(graph, "total"), "window");
  for (const SharedLocation& location : graph.locations) // by the call outside only
    if (location.name == "total") EXPECT_EQ(location.accesses.size(), 1u);
}

TEST(Commuting, CallsStayClosed) {
  CutGraph graph = graph_with(two_pushes, {{commute({"push"})}});
  EXPECT_EQ(graph.contexts.size(), 1u);
}

TEST(DeclaredLocations, NeedNoWindow) {
  const char* body = "int body(void *env) { OWN bump(p->length); p->out = 1; bump(i); return 0; }";
  Declaration free = {"declared", {"total"}, "", "unread", {}, {}};
  CutGraph graph = graph_with(body, {{free}});
  EXPECT_EQ(verdict_on(graph, "total"), "declared");
  EXPECT_EQ(verdict_on(graph_with(body, {{free}, "declared"}), "total"), "window");
}

TEST(DeclaredLocations, AreNamedWithOrWithoutTheirOrigin) {
  const char* body = R"(
    typedef struct { uint32_t hits, bytes, state; } session_t;
    session_t *session;
    __attribute__((constructor)) static void start(void) { session_t *s = malloc(sizeof *s); session = s; }
    int body(void *env) { OWN session->bytes = session->bytes * 3 + 1; session->state = session->state * 5 + 1; return 0; })";
  CutGraph graph = graph_with(body, {{{"declared", {"session_t.bytes"}, "", "unread", {}, {}}}});
  EXPECT_EQ(verdict_on(graph, "session_t.bytes"), "declared");
  EXPECT_EQ(verdict_on(graph, "session_t.state"), "window");
  graph = graph_with(body, {{{"declared", {"session_t"}, "", "unread", {}, {}}}});
  EXPECT_EQ(verdict_on(graph, "session_t"), "declared");
}

TEST(DeclaredLocations, NeverTheControlOfTheLoop) {
  Analysis analysis =
      analysis_of(two_pushes, {{{"declared", {"control of the packet loop"}, "", "no", {}, {}}}});
  EXPECT_EQ(verdict_on(analysis.graphs.front(), "control of the packet loop"), "window");
  EXPECT_TRUE(llvm::any_of(analysis.remarks, [](const Remark& r) { return r.code == "unused-declaration"; }));
}

TEST(DeclaredAllocators, GiveFreshMemory) {
  const char* body = R"(
    static char arena[1 << 16], *next = arena;
    static void *carve(size_t n) { char *at = next; next += n; return at; }
    int body(void *env) { OWN uint32_t *m = carve(8); m[0] = i; __asm__ volatile("" ::: "memory"); p->out = m[0]; return 0; })";
  EXPECT_EQ(verdict_on(graph_with(body, {{{"allocators", {"carve"}, "", "", {}, {}}}}), "in body"),
            "packet-private");
  EXPECT_EQ(verdict_on(graph_with(body, {}), "arena"), "window");
}

TEST(DeclaredAllocators, ReturnAPointer) {
  Declarations declarations{"heddle.toml", {{"allocators", {"count"}, "", "", {}, {7}}}};
  Program program = program_of(frame + "static uint32_t count(void) { return ++total; }"
                                       "int body(void *env) { OWN p->out = count(); return 0; }",
                               declarations.functions());
  AnalysisOptions options;
  options.locations.declarations = declarations;
  auto analysis = analyse(program, BlockTable(*program.module), options);
  ASSERT_FALSE(bool(analysis));
  EXPECT_THAT(llvm::toString(analysis.takeError()),
              HasSubstr("heddle.toml:7: 'count' is declared to return"));
}

} // namespace
} // namespace heddle

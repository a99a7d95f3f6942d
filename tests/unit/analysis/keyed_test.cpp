// Records that a flow's packets keep to themselves: keyed where every access follows a claim, a window where one may not.
#include "body.h"

#include "program/claims.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace heddle {
namespace {

const std::string frame = packet_loop + R"(
static NOINLINE void heddle_key(const void *record) { __asm__ volatile("" : : "r"(record)); }
static NOINLINE void heddle_new_key(const void *record) { __asm__ volatile("" : : "r"(record)); }
struct flow { uint32_t id, state, hits; } flows[64];
static struct flow *find(uint32_t id) {
  for (int k = 0; k < 64; k++) if (flows[k].id == id) return &flows[k];
  return 0;
}
)";

CutGraph keyed_graph(const std::string& body, std::vector<std::string> without = {}) {
  Program program = program_of(frame + body);
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  options.locations.declarations = with_annotations({}, *program.module);
  for (const std::string& name : without)
    options.locations.without.insert(name);
  Analysis analysis = llvm::cantFail(analyse(program, blocks, options));
  return std::move(analysis.graphs.front());
}

const std::string claims_first = R"(int body(void *env) { OWN struct flow *r = find(p->length); heddle_key(r);
  if (!r) return 0; p->out = r->state; r->state = p->length; return 0; })";

TEST(KeyedLocations, AccessesBehindTheClaimAreFree) {
  CutGraph graph = keyed_graph(claims_first);
  EXPECT_EQ(verdict_on(graph, "flows[*].state"), "keyed");
  ASSERT_EQ(graph.keys.size(), 1u);
  EXPECT_FALSE(graph.keys[0].claims.empty());
  EXPECT_EQ(graph.keys[0].name, "HEDDLE_KEY");
}

TEST(KeyedLocations, CanBeSwitchedOff) {
  EXPECT_EQ(verdict_on(keyed_graph(claims_first, {"keyed"}), "flows[*].state"), "window");
}

TEST(KeyedLocations, OneAccessBeforeTheClaimIsEnough) {
  CutGraph graph =
      keyed_graph(R"(int body(void *env) { OWN struct flow *r = find(p->length); if (!r) return 0;
    r->hits += r->state; heddle_key(r); p->out = r->state; r->state = p->length; return 0; })");
  EXPECT_EQ(verdict_on(graph, "flows[*].state"), "window");
  for (const SharedLocation& location : graph.locations)
    if (location.name == "flows[*].state") EXPECT_THAT(location.would_free, HasSubstr("keyed, but p.c:"));
}

TEST(KeyedLocations, AClaimOnOneBranchOnlyIsNone) {
  EXPECT_EQ(
      verdict_on(keyed_graph(R"(int body(void *env) { OWN struct flow *r = find(p->length); if (!r) return 0;
    if (p->out & 1) heddle_key(r); p->out = r->state; r->state = p->length; return 0; })"),
                 "flows[*].state"),
      "window");
}

TEST(KeyedLocations, AClaimInACalledFunctionCounts) {
  EXPECT_EQ(verdict_on(keyed_graph(R"(
    static NOINLINE struct flow *find_and_claim(uint32_t id) { struct flow *r = find(id); heddle_key(r); return r; }
    int body(void *env) { OWN struct flow *r = find_and_claim(p->length); if (!r) return 0;
    p->out = r->state; r->state = p->length; return 0; })"),
                       "flows[*].state"),
            "keyed");
}

TEST(KeyedLocations, AFreshRecordIsFilledAtOnce) {
  CutGraph graph = keyed_graph(R"(static uint32_t next;
    static NOINLINE struct flow *get(uint32_t id) { struct flow *r = find(id); if (r) { heddle_key(r); return r; }
      r = &flows[next++ % 64]; heddle_new_key(r); r->state = 0; heddle_key(r); return r; }
    int body(void *env) { OWN struct flow *r = get(p->length); p->out = r->state; r->state = p->length; return 0; })");
  EXPECT_EQ(verdict_on(graph, "flows[*].state"), "keyed");
  unsigned fresh = 0, claimed = 0;
  for (const SharedLocation& location : graph.locations)
    if (location.name == "flows[*].state")
      for (const LocationAccess& access : location.accesses)
        ++(access.fresh ? fresh : claimed);
  EXPECT_GE(fresh, 1u);
  EXPECT_GE(claimed, 1u);
}

TEST(KeyedLocations, OtherObjectsThanThoseTheKeyPointsToAreNot) {
  EXPECT_EQ(verdict_on(keyed_graph(R"(uint32_t order;
    int body(void *env) { OWN struct flow *r = find(p->length); heddle_key(r); if (!r) return 0;
    r->state += p->length; p->out = order; order = order * 3 + p->length; return 0; })"),
                       "order"),
            "window");
}

} // namespace
} // namespace heddle

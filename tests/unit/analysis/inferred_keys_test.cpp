// Keys that nobody declares: which locations packets reach through some pointers alone, and which they do not.
#include "body.h"

#include "program/open.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace heddle {
namespace {

const std::string frame = packet_loop + R"(
static struct flow { uint32_t id, state, hits; char name[20]; } flows[64], *by_id[64];
static uint32_t next;
static NOINLINE struct flow *find(uint32_t id) {
  for (int k = 0; k < 64; k++) if (flows[k].id == id) return &flows[k];
  return &flows[next++ % 64];
}
)";

SharedLocation location(const CutGraph& graph, llvm::StringRef name) {
  std::string names;
  for (const SharedLocation& found : graph.locations) {
    if (found.name == name) return found;
    names += "\n" + found.name;
  }
  ADD_FAILURE() << "no location is called " << name.str() << " among" << names;
  return {};
}

size_t roots(const std::string& body, llvm::StringRef name = "flows[*].state") {
  const SharedLocation found = location(graph_of(program_of(frame + body)), name);
  EXPECT_EQ(found.verdict, "window");
  return found.roots.size();
}

// With the roots of one location claimed.
CutGraph claimed(const std::string& body, llvm::StringRef name, llvm::ArrayRef<unsigned> numbers = {7}) {
  Program program = program_of(frame + body);
  Openings openings;
  const SharedLocation found = location(graph_of(program), name);
  for (const ValuePlace& root : found.roots)
    openings.claims.push_back({root.block, root.instruction, numbers[openings.claims.size() % numbers.size()],
                               false, root.function, root.at});
  llvm::cantFail(open_program(program, openings));
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  options.locations.first_inferred_key = 7;
  return std::move(llvm::cantFail(analyse(program, blocks, options)).graphs.front());
}

const std::string through_find = R"(int body(void *env) { OWN struct flow *r = find(p->length);
  p->out = r->state; r->state = p->length; r->hits++; return 0; })";

TEST(InferredKeys, WhatALookUpReturnsIsTheOnlyWay) {
  EXPECT_EQ(roots(through_find), 1u);
}

TEST(InferredKeys, ClaimedRootsMakeItKeyed) {
  const CutGraph graph = claimed(through_find, "flows[*].state");
  const SharedLocation found = location(graph, "flows[*].state");
  EXPECT_EQ(found.verdict, "keyed");
  EXPECT_THAT(found.reason, HasSubstr("packets reach it through the pointer that p.c:"));
  ASSERT_EQ(graph.keys.size(), 1u);
  EXPECT_EQ(graph.keys[0].number, 7u);
  EXPECT_THAT(graph.keys[0].name, HasSubstr("pointer (p.c:"));
  EXPECT_EQ(graph.keys[0].claims.size(), 1u);
}

const std::string two_look_ups = R"(int body(void *env) { OWN struct flow *r = find(p->length);
  r->state = p->length; struct flow *s = find(p->out); p->out = s->state; return 0; })";

TEST(InferredKeys, RootsWithTwoKeysAreNotOne) {
  EXPECT_EQ(roots(two_look_ups), 2u);
  EXPECT_EQ(location(claimed(two_look_ups, "flows[*].state"), "flows[*].state").verdict, "keyed");
  EXPECT_EQ(location(claimed(two_look_ups, "flows[*].state", {7, 8}), "flows[*].state").verdict, "window");
}

TEST(InferredKeys, ArgumentsAreFollowedToTheCalls) {
  const std::string body =
      R"(static NOINLINE void count(struct packet *p, struct flow *r) { r->state += p->length; p->out = r->state; }
    int body(void *env) { OWN struct flow *r = find(p->length); count(p, r); count(p, r); return 0; })";
  EXPECT_EQ(roots(body), 1u);
  EXPECT_EQ(location(claimed(body, "flows[*].state"), "flows[*].state").verdict, "keyed");
}

TEST(InferredKeys, PointersOutOfATableOfThem) {
  EXPECT_EQ(
      roots(
          R"(int fill(void) { for (int k = 0; k < 64; k++) by_id[k] = malloc(sizeof(struct flow)); return 0; }
    int body(void *env) { OWN struct flow *r = by_id[p->length & 63]; p->out = r->state; r->state = p->length; return 0; })",
          "flow.state (heap at p.c:19 in fill)"),
      1u);
}

TEST(InferredKeys, CopiesOfKnownSize) {
  EXPECT_EQ(roots(R"(int body(void *env) { OWN struct flow *r = find(p->length); p->out = r->name[3];
    memcpy(r->name, &flows[p->out & 63].id, 4); return 0; })",
                  "flows[*].name[*]"),
            1u);
}

TEST(InferredKeys, AnElementByItselfIsAnotherWay) {
  EXPECT_EQ(
      roots(
          R"(int body(void *env) { OWN struct flow *r = find(p->length); p->out = r->state; r->state = p->length;
    flows[3].state += 1; return 0; })"),
      0u);
}

TEST(InferredKeys, ANeighboursFieldIsAnotherFlows) {
  EXPECT_EQ(
      roots(
          R"(int body(void *env) { OWN struct flow *r = find(p->length); p->out = r[1].state; r->state = p->length;
    return 0; })"),
      0u);
}

TEST(InferredKeys, RecordsThatOverlapAreNotTold) {
  EXPECT_EQ(roots(R"(uint32_t words[256];
    int body(void *env) { OWN uint32_t *r = &words[p->length & 127]; p->out = r[0]; r[0] = 1; r[1] = p->length;
    return 0; })",
                  "words[*]"),
            0u);
}

TEST(InferredKeys, ACallMayLookAnywhere) {
  EXPECT_EQ(roots(R"(int body(void *env) { OWN struct flow *r = find(p->length); p->out = strlen(r->name);
    r->name[p->length % 20] = 0; return 0; })",
                  "flows[*].name[*]"),
            0u);
}

TEST(InferredKeys, AFunctionWhoseAddressIsTakenHasUnknownCallers) {
  EXPECT_EQ(roots(R"(static NOINLINE void count(struct flow *r) { r->state = r->state * 3 + 1; }
    void (*counter)(struct flow *) = count;
    int body(void *env) { OWN struct flow *r = find(p->length); count(r); p->out = r->state; return 0; })"),
            0u);
}

TEST(InferredKeys, OtherThreadsSeeAtomicAccesses) {
  EXPECT_EQ(roots(R"(int body(void *env) { OWN struct flow *r = find(p->length); p->out = r->state;
    __atomic_store_n(&r->state, p->length, __ATOMIC_RELEASE); return 0; })"),
            0u);
}

TEST(InferredKeys, APointerThatMovesWithEveryCall) {
  EXPECT_EQ(roots(R"(static NOINLINE uint32_t sum(struct flow *r, uint32_t n) { if (!n) return 0; r->state++;
      return sum(r + 1, n - 1) * 3 + r->state; }
    int body(void *env) { OWN p->out = sum(find(p->length), p->length); return 0; })"),
            0u);
}

TEST(InferredKeys, CanBeSwitchedOff) {
  const CutGraph graph = graph_of(program_of(frame + through_find), {"keyed"});
  EXPECT_TRUE(location(graph, "flows[*].state").roots.empty());
}

TEST(InferredKeys, OpeningAClaimNeedsAPointer) {
  Program program = program_of(frame + through_find);
  Openings openings;
  openings.claims.push_back({0, 100000, 7, false, "f", "p.c:1"});
  EXPECT_THAT(llvm::toString(open_program(program, openings).takeError()),
              HasSubstr("no pointer that could be a key"));
  for (unsigned key : {0u, 16u}) { // HEDDLE_KEY's number; more than there may be
    openings.claims[0].key = key;
    EXPECT_THAT(llvm::toString(open_program(program, openings).takeError()),
                HasSubstr("is a declared one's"));
  }
}

} // namespace
} // namespace heddle

// What the program's owner is told about a shared location: its name, its parts, and what would free it.
#include "body.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

namespace {

const char* packets = R"(
struct packet { uint32_t length, out; };
static struct packet packets_[8];
int main(void) { struct packet *frame = packets_; heddle_run_loop(body, &frame, -1); return 0; }
#define OWN struct packet *p = *(struct packet **)env;
)";

// `ran`: how far into the packet each block runs; none for blocks of functions whose name starts with "cold".
CutGraph explained(const char* source) {
  Program program = program_of(std::string(packets) + source);
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  options.spans = [&](BlockId id) -> std::optional<RunSpan> {
    if (blocks.block(id)->getParent()->getName().starts_with("cold")) return std::nullopt;
    return RunSpan{0.5, 0.5};
  };
  return std::move(llvm::cantFail(analyse(program, blocks, options)).graphs.front());
}

const SharedLocation& found(const CutGraph& graph, llvm::StringRef name) {
  static const SharedLocation none;
  for (const SharedLocation& location : graph.locations)
    if (llvm::StringRef(location.name).contains(name) && location.verdict == "window") return location;
  ADD_FAILURE() << "no window of " << name.str();
  return none;
}

TEST(ExplainedLocations, HeapMemoryIsNamedByTypeAndField) {
  CutGraph graph = explained(R"(
    typedef struct { uint32_t hits, bytes; } session_t;
    session_t *sessions;
    __attribute__((constructor)) static void start(void) { session_t *s = malloc(sizeof *s); sessions = s; }
    int body(void *env) { OWN sessions->bytes = sessions->bytes * 3 + p->length; return 0; })");
  const SharedLocation& location = found(graph, "session_t");
  EXPECT_THAT(location.name, HasSubstr("session_t.bytes (heap at p.c:"));
  EXPECT_EQ(location.parts, std::vector<std::string>{".bytes"});
}

TEST(ExplainedLocations, AliasingTagsNameTheTypeOfUntypedAllocations) {
  CutGraph graph = explained(R"(
    struct session { uint32_t hits, bytes; };
    struct session *sessions[4];
    __attribute__((constructor)) static void start(void) { sessions[1] = malloc(64); }
    int body(void *env) { OWN struct session *s = sessions[1]; s->bytes = s->bytes * 3 + p->length; return 0; })");
  EXPECT_THAT(found(graph, "session.bytes").name, HasSubstr("(heap at p.c:"));
}

TEST(ExplainedLocations, NamesTheCallerThatAllocatesThroughAWrapper) {
  CutGraph graph = explained(R"(
    uint32_t *table;
    static inline void *xmalloc(size_t n) { return malloc(n); }
    static inline void *new_table(void) { return xmalloc(64); }
    __attribute__((constructor)) static void start(void) { table = new_table(); }
    int body(void *env) { OWN table[2] = table[2] * 3 + p->length; return 0; })");
  EXPECT_THAT(found(graph, "heap").name, HasSubstr("in new_table, called from start (p.c:"));
}

TEST(ExplainedLocations, PartsOfAStackVariableAreItsFields) {
  CutGraph graph = explained(R"(
    struct state { uint32_t hits, last; } *state;
    void wait_here(void);
    __attribute__((constructor)) static void start(void) { struct state mine = {0}; state = &mine; wait_here(); }
    int body(void *env) { OWN state->last = p->length ^ state->last * 3; return 0; })");
  EXPECT_EQ(found(graph, "stack variable mine").parts, std::vector<std::string>{".last"});
}

TEST(ExplainedLocations, CodeThatNoPacketRanIsARarePath) {
  CutGraph graph = explained(R"(
    uint32_t state, other;
    NOINLINE static void cold_reset(void) { __asm__ volatile("" ::: "memory"); state = other; other = state + 1; }
    int body(void *env) { OWN if (p->length > 100000) cold_reset(); return 0; })");
  const SharedLocation& location = found(graph, "other");
  EXPECT_FALSE(location.ran);
  EXPECT_TRUE(location.sampled.empty());
  EXPECT_THAT(location.would_free, HasSubstr("rare path: no packet of the sample ran any"));
}

TEST(ExplainedLocations, WrittenOnlyByCodeThatNoPacketRan) {
  CutGraph graph = explained(R"(
    uint32_t mode;
    NOINLINE static void cold_switch(uint32_t to) { __asm__ volatile("" ::: "memory"); mode = to; }
    int body(void *env) { OWN if (p->length > 100000) cold_switch(p->length); p->out = mode; return 0; })");
  EXPECT_THAT(found(graph, "mode").would_free, HasSubstr("packets of the sample only read it"));
}

TEST(ExplainedLocations, NamesTheReadThatKeepsACounterFromCommuting) {
  CutGraph graph = explained(R"(
    uint32_t hits;
    NOINLINE static uint32_t report(void) { __asm__ volatile("" ::: "memory"); return hits; }
    int body(void *env) { OWN hits += p->length; if (p->length == 7) p->out = report(); return 0; })");
  EXPECT_THAT(found(graph, "hits").would_free, HasSubstr("if its value were not read at p.c:"));
}

TEST(ExplainedLocations, WritesWithoutReadsAreDeferred) {
  CutGraph graph = explained(R"(
    uint32_t last_length;
    int body(void *env) { OWN last_length = p->length; return 0; })");
  EXPECT_THAT(found(graph, "last_length").would_free, HasSubstr("deferred: the body only writes it"));
}

TEST(ExplainedLocations, ScratchThatIsReadFirstIsNotCalledScratch) {
  CutGraph graph = explained(R"(
    uint32_t previous;
    int body(void *env) { OWN p->out = previous; previous = p->length; return 0; })");
  EXPECT_THAT(found(graph, "previous").would_free, HasSubstr("what earlier ones left there"));
}

} // namespace

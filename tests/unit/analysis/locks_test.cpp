// Locks: free of windows where no packet is suspended with one.
#include "body.h"

namespace heddle {
namespace {

const std::string frame = packet_loop + R"(
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static uint32_t total, seen;
NOINLINE static uint32_t work(uint32_t x) { __asm__ volatile("" : "+r"(x)); return x * 7; }
)";

CutGraph graph_with(const std::string& body, std::vector<std::string> without = {}) {
  return graph_of(program_of(frame + body), std::move(without));
}

std::string verdict_with(const std::string& body) {
  CutGraph graph = graph_with(body);
  const std::string verdict = verdict_on(graph, "lock state");
  EXPECT_EQ(verdict_on(graph, "other"), verdict == "lock" ? "lock" : "window");
  return verdict;
}

const std::string two_sections = R"(
  int body(void *env) { OWN
    pthread_mutex_lock(&lock); total = work(total); pthread_mutex_unlock(&lock);
    p->out = work(p->length);
    pthread_mutex_lock(&other); seen = work(seen); pthread_mutex_unlock(&other);
    return 0; })";

TEST(Locks, TwoSections) {
  EXPECT_EQ(verdict_with(two_sections), "lock");
  EXPECT_EQ(verdict_on(graph_with(two_sections, {"lock"}), "other"), "window");
}

TEST(Locks, NoSiteInASection) {
  CutGraph graph = graph_with(R"(
    int body(void *env) { OWN
      pthread_mutex_lock(&other); p->out = work(p->length); p->out += work(p->out); pthread_mutex_unlock(&other);
      p->out += work(p->out);
      return 0; })");
  EXPECT_EQ(verdict_on(graph, "other"), "lock");
  unsigned inside = 0, free = 0;
  for (const CutEdge& edge : graph.edges) { // in the order of the one path
    if (graph.nodes[edge.from].context != 0) continue;
    (edge.site_possible ? free : inside)++;
  }
  EXPECT_GE(inside, 3u);
  EXPECT_GE(free, 2u);
}

TEST(Locks, TakenAndReleasedInHelpers) {
  EXPECT_EQ(verdict_with(R"(
    NOINLINE static void take(void) { pthread_mutex_lock(&lock); pthread_mutex_lock(&other); }
    NOINLINE static void let_go(void) { pthread_mutex_unlock(&other); pthread_mutex_unlock(&lock); }
    int body(void *env) { OWN take(); total = work(total); let_go(); p->out = work(p->length); return 0; })"),
            "lock");
}

TEST(Locks, ReleasedOnOneOfTwoPaths) {
  EXPECT_EQ(verdict_with(R"(
    int body(void *env) { OWN pthread_mutex_lock(&other); total = work(total);
                          if (p->length & 1) pthread_mutex_unlock(&other); return 0; })"),
            "window");
}

TEST(Locks, ReleasedFirst) {
  EXPECT_EQ(verdict_with(R"(
    int body(void *env) { OWN pthread_mutex_unlock(&other); p->out = work(p->length); pthread_mutex_lock(&other); return 0; })"),
            "window");
}

TEST(Locks, TakenInALoop) {
  EXPECT_EQ(verdict_with(R"(static pthread_mutex_t many[9];
    int body(void *env) { OWN for (uint32_t k = 0; k < p->length; k++) pthread_mutex_lock(&many[k % 9]);
                          pthread_mutex_lock(&other); total = work(total); pthread_mutex_unlock(&other); return 0; })"),
            "window");
}

TEST(Locks, TakenInALoopOfCalls) { // (found by the fuzzer: the count went on for ever)
  EXPECT_EQ(verdict_with(R"(
    NOINLINE static void take(uint32_t k) { if (k & 1) pthread_mutex_lock(&other); total = work(total); }
    int body(void *env) { OWN for (uint32_t k = 0; k < p->length; k++) take(k); return 0; })"),
            "window");
}

TEST(Locks, ExitWithALock) {
  EXPECT_EQ(verdict_with(R"(
    int body(void *env) { OWN pthread_mutex_lock(&other); total = work(total); if (total == 77) exit(1);
                          pthread_mutex_unlock(&other); return 0; })"),
            "window");
}

TEST(Locks, OutputThatIsKept) {
  EXPECT_EQ(verdict_with(R"(
    #include <stdio.h>
    int body(void *env) { OWN pthread_mutex_lock(&other); printf("%u\n", p->length); pthread_mutex_unlock(&other); return 0; })"),
            "window");
}

TEST(Locks, SectionsOfOneFunctionThatCallsItself) {
  EXPECT_EQ(verdict_with(R"(
    NOINLINE static uint32_t down(uint32_t n) {
      pthread_mutex_lock(&other); total = work(total); pthread_mutex_unlock(&other);
      uint32_t x = n ? down(n - 1) : 0; __asm__ volatile("" : "+r"(x)); return x; }
    int body(void *env) { OWN p->out = down(p->length & 3); return 0; })"),
            "window");
}

// Where a packet receives, those before it may run to their ends, and want the lock.
TEST(Locks, ReceivingInASectionKeepsTheWindow) {
  const std::string receiving = R"(
  long heddle_recv(int, void *, size_t, int);
  int body(void *env) { OWN
    char bytes[64];
    pthread_mutex_lock(&lock); if (heddle_recv(3, bytes, 64, 0) < 0) p->out = 1; pthread_mutex_unlock(&lock);
    p->out += work(bytes[0]);
    pthread_mutex_lock(&other); seen = work(seen); pthread_mutex_unlock(&other);
    return 0; })";
  EXPECT_EQ(verdict_with(receiving), "window");
  const std::string polling = R"(
  long heddle_recv(int, void *, size_t, int);
  int poll(void *, unsigned long, int);
  int body(void *env) { OWN
    char bytes[64];
    if (heddle_recv(3, bytes, 64, 0) < 0) return 1;
    pthread_mutex_lock(&lock); p->out = poll(0, 0, 7); pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&other); seen = work(seen + bytes[0]); pthread_mutex_unlock(&other);
    return 0; })";
  EXPECT_EQ(verdict_with(polling), "window");
}

} // namespace
} // namespace heddle

// A body that touches nothing of other packets may be cut anywhere: with a site on every edge that takes one,
// in every function, it must print what it prints unstaged. This drives the switch through whatever registers
// and frames code generation comes up with.
#include "ir.h"
#include "transform/site.h"

#include "llvm/IR/CFG.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::test;

namespace {

constexpr const char* source = R"(
#include "runtime/runtime.h"
#include <stdio.h>
#include <string.h>
#include <setjmp.h>

struct loop { int next, packets; double results[600]; };

static int leaf(int a, int b) { int t[4] = {a, b, a ^ b, a - b}; return t[(a + b) & 3] + t[a & 3]; }

__attribute__((noinline)) static unsigned long hash(const unsigned char *p, int n) {
  unsigned long h = 1469598103934665603ul;
  for (int i = 0; i < n; ++i) { h = (h ^ p[i]) * 1099511628211ul; if (h & 64) h ^= h >> 29; }
  return h;
}

__attribute__((noinline)) static double vectors(const double *v, int n, long double scale) {
  double sum = 0, product = 1;
  for (int i = 0; i < n; ++i) { sum += v[i] * 3; product = product * (v[i] + 1) > 1e6 ? 1 : product * 1.5; }
  long double x = scale;
  for (int i = 0; i < n / 4; ++i) x = x / 3 + i;
  return sum + product + (double)x;
}

__attribute__((noinline)) static int frames(int n) {
  _Alignas(64) char aligned[64];
  char variable[n % 37 + 1];
  memset(aligned, n, sizeof aligned);
  memset(variable, n + 1, sizeof variable);
  int sum = ((unsigned long)aligned & 63) != 0;
  for (int i = 0; i < n % 37; ++i) sum += variable[i] + aligned[i] + leaf(i, n);
  return sum;
}

__attribute__((noinline)) static int recursive(int n) { return n < 2 ? n : recursive(n - 1) + recursive(n - 2); }

__attribute__((noinline)) static int jumps(int n) {
  jmp_buf buffer;
  volatile int count = 0;
  int got = setjmp(buffer);
  count = count + got;
  if (got < n % 4) longjmp(buffer, got + 1);
  return count;
}

int body(void *env) {
  struct loop *loop = env;
  if (loop->next >= loop->packets) return 1;
  int packet = loop->next++;
  unsigned char bytes[100];
  double values[64];
  for (int i = 0; i < 100; ++i) bytes[i] = (unsigned char)(packet * 31 + i);
  for (int i = 0; i < 64; ++i) values[i] = (packet + i) % 10;
  unsigned long h = hash(bytes, 40 + packet % 60);
  double v = vectors(values, 16 + packet % 48, packet);
  int f = frames(packet);
  switch (h % 5) {
  case 0: f += recursive(packet % 8); break;
  case 1: f ^= jumps(packet); break;
  case 2: v *= 2; break;
  case 3: f += leaf(f, packet);
  default: v += 1;
  }
  loop->results[packet] = v + f + (double)(h >> 20);
  return 0;
}

int main(void) {
  static struct loop loop = {0, 600, {0}};
  printf("%d\n", heddle_run_loop(body, &loop, -1));
  for (int i = 0; i < 600; ++i) printf("%.17g\n", loop.results[i]);
}
)";

// Sites on every edge, numbered upwards in the order of the blocks so that loops and recursion meet sites of
// stages they have passed as well as new ones. The first block of the body takes the packet: no site
// before it has.
unsigned insert_everywhere(Module& module) {
  std::vector<std::pair<BasicBlock*, BasicBlock*>> edges;
  for (Function& function : module) {
    if (function.isDeclaration() || function.getName() == "main") continue;
    for (BasicBlock& block : function)
      for (BasicBlock* next : successors(&block)) {
        if (&block == &function.getEntryBlock() && function.getName() == "body") continue;
        if (edge_takes_site(block, *next) && !is_contained(edges, std::pair(&block, next)))
          edges.emplace_back(&block, next);
      }
  }
  unsigned stage = 0;
  for (auto [from, to] : edges)
    insert_site(*from, *to, ++stage);
  return stage;
}

class SitesEverywhere : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(SitesEverywhere, KeepTheOutput) {
  LLVMContext context;
  Workshop workshop;
  auto module = workshop.compile(context, source, GetParam());
  ASSERT_NE(module, nullptr);
  const std::string expected = workshop.run(*module, 1);
  EXPECT_GT(expected.size(), 600u);
  unsigned sites = insert_everywhere(*module);
  EXPECT_GT(sites, 20u);
  ASSERT_EQ(valid(*module), "");
  for (unsigned batch : {1u, 2u, 7u, 32u, 64u})
    EXPECT_EQ(workshop.run(*module, batch), expected) << batch;
}

const std::vector<std::string> plain = {"-O0"}, usual = {"-O2"}, framed = {"-O1", "-fno-omit-frame-pointer"},
                               wide = {"-O3", "-march=native", "-ffp-contract=off"},
                               library = {"-O2", "-fPIC", "-g"};
INSTANTIATE_TEST_SUITE_P(Flags, SitesEverywhere, ::testing::Values(plain, usual, framed, wide, library));

} // namespace

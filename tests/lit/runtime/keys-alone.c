// A packet that runs alone while later ones are left out of the round because of their keys: those before it end first, in stages,
// and the others are left out no longer than they would have been.
// RUN: %clang -O2 %s %rt -o %t
// RUN: env HEDDLE_BATCH=8 %t | FileCheck %s
// RUN: env HEDDLE_BATCH=1 %t | FileCheck %s --check-prefix=OFF
#include "staged.h"

__attribute__((visibility("hidden"), preserve_most)) void heddle_alone(const char *place);

static const char flows[] = "abcbad";
static uint64_t records[4];

static int body(void* env) {
  heddle_forget_claims();
  int packet = take(env);
  if (packet < 0) return 7;
  char flow = flows[packet];
  heddle_claim(0, &records[flow - 'a'], 0);
  HEDDLE_SITE(1);
  if (packet == 2) heddle_alone("a test");
  printf(" %c%d1", flow, packet);
  HEDDLE_SITE(2);
  printf(" %c%d2", flow, packet);
  HEDDLE_SITE(3);
  printf(" %c%d3", flow, packet);
  return 0;
}

static const uint32_t last_ordered[] = {0, 0, 0, 0};
static const struct heddle_key_range ranges[] = {{0, 1, 3, 0}};
const struct heddle_schedule heddle_schedules[] = {{body, "body", last_ordered, ranges, 4, 1}};
const unsigned heddle_schedule_count = 1, heddle_key_count = 1;

int main(void) {
  struct loop loop = {0, sizeof flows - 1};
  int result = heddle_run_loop(body, &loop, -1);
  struct heddle_counters counters;
  heddle_get_counters(&counters);
  printf(" result %d, alone %d\n", result, (int)counters.alone);
}

// The second b and a are left out of the first round, in which the third packet has the first ones end, stage by stage; then they
// follow, and the last packet goes with them.
// CHECK: {{^}} a01 b11 a02 b12 a03 b13 c21 c22 c23 d51 b31 a41 b32 a42 d52 b33 a43 d53 result 7, alone 1
// OFF: {{^}} a01 a02 a03 b11 b12 b13 c21 c22 c23 b31 b32 b33 a41 a42 a43 d51 d52 d53 result 7, alone 0

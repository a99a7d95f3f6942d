// Packets with one key keep their order in its range of stages, and hold nobody else back but where a stage is ordered.
// RUN: %clang -O2 %s %rt -o %t -DRANGE="{0, 2, 3, 1}" -DORDERED="0, 1, 1, 1, 1"
// RUN: env HEDDLE_BATCH=8 %t | FileCheck %s --check-prefix=FREE
// RUN: env HEDDLE_BATCH=1 %t | FileCheck %s --check-prefix=OFF
// RUN: %clang -O2 %s %rt -o %t -DRANGE="{0, 2, 3, 1}" -DORDERED="0, 1, 1, 3, 3"
// RUN: env HEDDLE_BATCH=8 %t | FileCheck %s --check-prefix=ORDERED
// RUN: %clang -O2 %s %rt -o %t -DRANGE="{0, 2, 2, 1}" -DORDERED="0, 1, 2, 3, 4"
// RUN: env HEDDLE_BATCH=8 %t | FileCheck %s --check-prefix=ONE
#include "staged.h"

// A letter per packet; '-': it has no record, '?': it does not say.
static const char flows[] = "abac-?b";
static uint64_t records[3];

static int body(void* env) {
  heddle_forget_claims();
  int packet = take(env);
  if (packet < 0) return 7;
  char flow = flows[packet];
  printf(" %c%d0", flow, packet);
  HEDDLE_SITE(1);
  if (flow != '?') heddle_claim(0, flow == '-' ? NULL : &records[flow - 'a'], 0);
  HEDDLE_SITE(2);
  printf(" %c%d2", flow, packet);
  HEDDLE_SITE(3);
  printf(" %c%d3", flow, packet);
  HEDDLE_SITE(4);
  printf(" %c%d4", flow, packet);
  return 0;
}

static const uint32_t last_ordered[] = {ORDERED};
static const struct heddle_key_range ranges[] = {RANGE};
const struct heddle_schedule heddle_schedules[] = {{body, "body", last_ordered, ranges, 5, 1}};
const unsigned heddle_schedule_count = 1, heddle_key_count = 1;

int main(void) {
  struct loop loop = {0, sizeof flows - 1};
  int result = heddle_run_loop(body, &loop, -1);
  struct heddle_counters counters;
  heddle_get_counters(&counters);
  printf(" result %d, held %d\n", result, (int)counters.held);
}

// The second 'a' waits for the first one to leave stage 3. Whoever does not say what it has waits for all before it, and the
// rest for it; one without a record waits for nobody.
// FREE: a00 b10 a20 c30 -40 ?50 b60
// FREE-SAME: a02 b12 c32 -42 a03 b13 c33 -43 a22 a23 ?52 ?53 b62 b63
// FREE-SAME: a04 b14 a24 c34 -44 ?54 b64 result 7, held

// Stage 3 is ordered: nobody passes it before the second 'a' has.
// ORDERED: a00 b10 a20 c30 -40 ?50 b60
// ORDERED-SAME: a02 b12 c32 -42 a03 b13 a22 a23 c33 -43 ?52 ?53 b62 b63
// ORDERED-SAME: a04 b14 a24 c34 -44 ?54 b64 result 7, held

// A range of one stage holds nobody back.
// ONE: a00 b10 a20 c30 -40 ?50 b60 a02 b12 a22 c32 -42 ?52 b62
// ONE-SAME: a03 b13 a23 c33 -43 ?53 b63 a04 b14 a24 c34 -44 ?54 b64 result 7, held 0

// OFF: a00 a02 a03 a04 b10 b12
// OFF-SAME: held 0

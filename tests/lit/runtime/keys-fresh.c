// A fresh record is filled at once: earlier packets that have it, or may still claim it, end first. The first packet has
// found 'b' already and claims it in stage 2; the second is given 'b' in stage 1.
// RUN: %clang -O2 %s %rt -o %t -DCLAIMED=2 && env HEDDLE_BATCH=8 %t | FileCheck %s --check-prefix=WAITS
// Whoever claims no more, and has another record, does not end first.
// RUN: %clang -O2 %s %rt -o %t -DCLAIMED=1 && env HEDDLE_BATCH=8 %t | FileCheck %s --check-prefix=NEVER
#include "staged.h"

static uint64_t records[2];

static int body(void* env) {
  heddle_forget_claims();
  int packet = take(env);
  if (packet < 0) return 7;
  printf(" %d.0", packet);
  HEDDLE_SITE(1);
  heddle_claim(0, &records[packet], packet == 1);
  printf(" %d.1", packet);
  HEDDLE_SITE(2);
  if (CLAIMED == 2) heddle_claim(0, &records[1], 0);
  printf(" %d.2", packet);
  HEDDLE_SITE(3);
  printf(" %d.3", packet);
  return 0;
}

static const uint32_t last_ordered[] = {0, 1, 2, 2};
static const struct heddle_key_range ranges[] = {{0, 3, 3, CLAIMED}};
const struct heddle_schedule heddle_schedules[] = {{body, "body", last_ordered, ranges, 4, 1}};
const unsigned heddle_schedule_count = 1, heddle_key_count = 1;

int main(void) {
  struct loop loop = {0, 2};
  int result = heddle_run_loop(body, &loop, -1);
  printf(" result %d\n", result);
}

// WAITS: 0.0 1.0 0.1 0.2 0.3 1.1 1.2 1.3 result 7
// NEVER: 0.0 1.0 0.1 1.1 0.2 1.2 0.3 1.3 result 7

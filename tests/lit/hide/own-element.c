// A packet that writes its own element of an array of results needs no order there, and one that writes its neighbour's does.
// RUN: %heddle_cc -O2 -DOWN %packets %s -o %t.own && %heddle profile %t.own --body run --
// RUN: %heddle plan %t.own --body run --budget 1000000K --print --explain | FileCheck %s --check-prefix=OWN
// RUN: %heddle build %t.own --body run && %heddle verify %t.own --batches 0,1,2,7,32,64 --
// RUN: %heddle verify %t.own --body run --dependencies -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle_cc -O2 -DNEXT %packets %s -o %t.next && %heddle profile %t.next --body run --
// RUN: %heddle plan %t.next --body run --budget 1000000K --print --explain | FileCheck %s --check-prefix=WINDOW
// RUN: %heddle build %t.next --body run && %heddle verify %t.next --batches 0,1,2,7,32,64 --
// RUN: %heddle_cc -O2 -DBACK %packets %s -o %t.back && %heddle profile %t.back --body run --
// RUN: %heddle plan %t.back --body run --budget 1000000K --print --explain | FileCheck %s --check-prefix=WINDOW
// RUN: %heddle build %t.back --body run && %heddle verify %t.back --batches 0,1,2,7,32,64 --
// RUN: %heddle_cc -O2 -DREAD %packets %s -o %t.read && %heddle profile %t.read --body run --
// RUN: %heddle plan %t.read --body run --budget 1000000K --print --explain | FileCheck %s --check-prefix=WINDOW
// RUN: %heddle build %t.read --body run && %heddle verify %t.read --batches 0,1,2,7,32,64 --
// OWN: interleaved in one function; packets overtake each other in stages 1
// OWN: results[*].value{{.*}}: each packet touches its own element only
// ORDER: order: no dependence is reversed
// WINDOW: {{^ *[0-9]\. results}}
#include "packets.h"

struct result { uint32_t value, steps; };
static uint32_t table[1 << 12];
static struct result results[4000];

__attribute__((noinline)) static void run(int n) {
  for (int i = 0; i < n; i++) {
    uint32_t x = (uint32_t)i, step = 0;
    for (; step < 1 + (uint32_t)i % 17; step++) {
      HEDDLE_EXPENSIVE(&table[x & 4095]);
      x = table[x & 4095];
    }
    results[i].value = x;
    results[i].steps = step;
#ifdef NEXT
    results[i + 1].steps ^= x;
#endif
#ifdef READ
    results[i].value = results[i].value * 31 + results[i + 1].value;
#endif
#ifdef BACK
    results[i].value += results[n - i].value;
#endif
  }
}

int main(void) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 1 << 12; i++) table[i] = mix(i);
  for (int n = 1; n < 3900; n += 337) run(n);
  for (int i = 0; i < 4000; i++) sum = mix(sum ^ results[i].value + 3 * results[i].steps);
  printf("%08x\n", sum);
  return 0;
}

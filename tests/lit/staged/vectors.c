// A loop over packets that stays as it is becomes vectors of packets, as the compiler would have made of it.
// RUN: %heddle_cc -O2 %s -o %t && %heddle profile %t --body run -- && %heddle plan %t --body run
// RUN: %heddle build %t --body run && %heddle verify %t --
// RUN: llvm-objdump -d --no-show-raw-insn --disassemble-symbols=run %t.heddle | FileCheck %s
// CHECK: <run>:
// CHECK: padd{{[dq]}} {{.*}}%xmm
#include <stdint.h>
#include <stdio.h>

static uint32_t keys[4096], results[4096];

__attribute__((noinline)) void run(int n) {
  for (int i = 0; i < n; i++) {
    uint32_t x = keys[i];
    if (x & 1)
      x += 77;
    results[i] = (x ^ x >> 7) + 3;
  }
}

int main(void) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 4096; i++) keys[i] = i * 2654435761u;
  for (int n = 1; n < 4096; n += 337) run(n);
  for (int i = 0; i < 4096; i++) sum = sum * 31 + results[i];
  printf("%08x\n", sum);
  return 0;
}

// What is live across a site survives: vectors of every width, x87, odd frames.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
// RUN: %clang -O0 -fno-omit-frame-pointer %s %rt -o %t && %t | FileCheck %s
// RUN: %clang -O2 -mavx2 -ffp-contract=off %s %rt -o %t && %t | FileCheck %s
// RUN: %clang -O2 -march=native -ffp-contract=off %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

typedef double vector __attribute__((vector_size(64)));

struct live {
  long integers[16];
  vector wide[4];
  long double extended;
  double sum;
};

__attribute__((noinline)) static int check(int packet, int size) {
  _Alignas(128) volatile char aligned[128];
  char variable[size];
  memset(variable, packet, size);
  aligned[0] = packet;
  long a = packet, b = a * 3, c = b * 5, d = c * 7, e = d * 11, f = e * 13, g = f * 17, h = g * 19;
  long i = h ^ a, j = i ^ b, k = j ^ c, l = k ^ d, m = l ^ e, n = m ^ f;
  vector v = {a, b, c, d, e, f, g, h}, w = v * 2, x = w + 1, y = x * v;
  long double extended = (long double)packet / 3;
  HEDDLE_SITE(1);
  vector total = v + w + x + y;
  long sum = a + b + c + d + e + f + g + h + i + j + k + l + m + n;
  HEDDLE_SITE(2);
  // The same once more, from an a of which the compiler does not know that it is the same.
  __asm__ volatile("" : "+r"(a));
  vector again = {a, a * 3, a * 15, a * 105, a * 1155, a * 15015, a * 255255, a * 4849845};
  vector total2 = again + again * 2 + (again * 2 + 1) + (again * 2 + 1) * again;
  int good = extended * 3 == (long double)packet && aligned[0] == (char)packet &&
             ((unsigned long)aligned & 127) == 0;
  for (int at = 0; at < 8; ++at)
    good &= total[at] == total2[at];
  for (int at = 0; at < size; ++at)
    good &= variable[at] == (char)packet;
  return good && sum == a + b + c + d + e + f + g + h + i + j + k + l + m + n;
}

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  if (!check(packet, 100 + packet % 50)) printf("packet %d lost something\n", packet);
  return 0;
}

int main(void) {
  struct loop loop = {0, 1000};
  heddle_run_loop(body, &loop, -1);
  printf("done\n");
}
// CHECK-NOT: lost
// CHECK: done

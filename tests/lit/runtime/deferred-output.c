// Calls that packets put off come in packet order, before anything that is written directly after them: at the end
// of the batch, when a packet becomes alone, when a body leaves, and when there is too much to keep.
// RUN: %clang -O2 %s %rt -o %t
// RUN: env HEDDLE_BATCH=32 %t | FileCheck %s
// RUN: env HEDDLE_BATCH=32 %t alone | FileCheck %s --check-prefix=ALONE
// RUN: env HEDDLE_BATCH=32 %t much | FileCheck %s --check-prefix=MUCH
// RUN: env HEDDLE_BATCH=32 %t jump | FileCheck %s --check-prefix=JUMP
// RUN: not --crash env HEDDLE_BATCH=32 %t abort | FileCheck %s --check-prefix=ABORT
// RUN: env HEDDLE_BATCH=32 %t nested | FileCheck %s --check-prefix=NESTED
// RUN: for how in none alone much nested; do env HEDDLE_BATCH=0 %t $how > %t.$how.0; done
// RUN: for how in none alone much nested; do env HEDDLE_BATCH=5 %t $how > %t.$how.5; done
// RUN: for how in none alone much nested; do grep -v kept %t.$how.0 > %t.a; grep -v kept %t.$how.5 > %t.b; diff %t.a %t.b; done
#include "staged.h"

#include "runtime/deferred.h"

#include <setjmp.h>

__attribute__((visibility("hidden"))) void heddle_alone(const char *place);
static const char *how = "none";
static jmp_buf outside;
static char many[1 << 18];

static int is(const char *what, int packet) {
  return packet == 2 && strcmp(how, what) == 0;
}

static int inner(void *env) {
  int packet = take(env);
  if (packet < 0) return 3;
  heddle_defer_printf(" i%d", packet);
  if (packet == 1 && strcmp(how, "nested") == 0) heddle_alone("a test");
  return 0;
}

static int body(void *env) {
  int packet = take(env);
  if (packet < 0) return 7;
  heddle_defer_printf(" %da", packet);
  HEDDLE_SITE(1);
  heddle_defer_fputs(" b", stdout);
  heddle_defer_fputc('0' + packet, stdout);
  if (is("alone", packet)) {
    heddle_alone("a test");
    printf(" alone");
  }
  if (is("nested", packet)) {
    struct loop loop = {0, 3};
    heddle_run_loop(inner, &loop, -1);
    printf(" after");
  }
  if (is("much", packet))
    for (int i = 0; i < 20; ++i) heddle_defer_fwrite(many, 1, sizeof many, stdout);
  if (is("jump", packet)) longjmp(outside, 1);
  if (is("abort", packet)) {
    heddle_make_output();
    fflush(stdout);
    abort();
  }
  HEDDLE_SITE(2);
  if (packet != 1) heddle_defer_puts(" c");
  return 0;
}

int main(int argc, char **argv) {
  struct loop loop = {0, 4};
  struct heddle_counters counters;
  if (argc > 1) how = argv[1];
  memset(many, '.', sizeof many);
  if (setjmp(outside) == 0)
    heddle_run_loop(body, &loop, -1);
  else
    heddle_defer_puts(" out");
  loop.next = 0;
  loop.packets = 1;
  how = "none";
  heddle_run_loop(body, &loop, -1);
  heddle_get_counters(&counters);
  printf("kept %d\n", (int)counters.deferred);
}
// CHECK: {{^}} 0a b0 c
// CHECK-NEXT: {{^}} 1a b1 2a b2 c
// CHECK-NEXT: {{^}} 3a b3 c
// CHECK-NEXT: {{^}} 0a b0 c
// CHECK-NEXT: kept 9
// ALONE: {{^}} 1a b1 2a b2 alone c
// ALONE-NEXT: {{^}} 3a b3 c
// ALONE: kept 7
// MUCH: {{^}} 1a b1 2a b2........
// MUCH: {{^}} 3a b3 c
// JUMP: {{^}} 0a b0 1a b1 2a b2 out
// JUMP-NEXT: {{^}} 0a b0 c
// ABORT: {{^}} 0a b0 1a b1 2a b2{{$}}
// NESTED: {{^}} 1a b1 2a b2 i0 i1 i2 after c

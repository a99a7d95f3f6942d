// A backtrace from a private stack goes on into the program's own: body, the runtime, main (or the thread).
// REQUIRES: gdb
// RUN: %clang -O1 -g %s %rt -o %t
// RUN: gdb -batch -nx -ex "break marker if packet == 3" -ex run -ex bt -ex up -ex "print packet" %t \
// RUN:   | FileCheck %s
// RUN: gdb -batch -nx -ex "break marker if packet == 3" -ex run -ex bt --args %t thread \
// RUN:   | FileCheck %s --check-prefix=THREAD
#include "staged.h"

#include <pthread.h>

__attribute__((noinline)) static void marker(int packet) {
  __asm__ volatile("" : : "r"(packet) : "memory");
}

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  HEDDLE_SITE(1);
  marker(packet);
  return packet < 0;
}

static void* run_packets(void* unused) {
  struct loop loop = {0, 5};
  heddle_run_loop(body, &loop, -1);
  return NULL;
}

int main(int count, char** arguments) {
  if (count < 2) return run_packets(NULL) != NULL;
  pthread_t thread;
  pthread_create(&thread, NULL, run_packets, NULL);
  pthread_join(thread, NULL);
}
// CHECK: #0 {{.*}}marker (packet={{(packet@entry=)?}}3)
// CHECK-NEXT: #1 {{.*}}body (
// CHECK-NEXT: #2 {{.*}}heddle_start
// CHECK: heddle_run_loop
// CHECK: run_packets
// CHECK: main (
// CHECK: = 3
// THREAD: #0 {{.*}}marker (packet={{(packet@entry=)?}}3)
// THREAD: body (
// THREAD: heddle_start
// THREAD: heddle_run_loop
// THREAD: run_packets

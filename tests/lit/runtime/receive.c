// A receive that would wait lets all packets before it end first, in stages, and then waits as the program has it: with its timeout,
// its errno, until it is interrupted. What there is it takes at once, and a packet that has waited goes on in stages.
// RUN: %clang -O2 %s %rt -o %t
// RUN: env HEDDLE_BATCH=32 %t wait | FileCheck %s --check-prefix=WAIT
// RUN: env HEDDLE_BATCH=32 %t dontwait | FileCheck %s --check-prefix=DONTWAIT
// RUN: env HEDDLE_BATCH=32 %t timeout | FileCheck %s --check-prefix=TIMEOUT
// RUN: env HEDDLE_BATCH=32 %t signal | FileCheck %s --check-prefix=SIGNAL
// RUN: env HEDDLE_BATCH=32 %t all | FileCheck %s --check-prefix=ALL
// RUN: env HEDDLE_BATCH=1 %t wait | FileCheck %s --check-prefix=OFF
#include "staged.h"
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

static int queue[2], flags, kind;

static void interrupt(int signal) { (void)signal; }

// The end of the second packet brings two more datagrams.
static void answer(int packet) {
  printf(" %dc", packet);
  if (packet != 1) return;
  if (kind == 'w' || kind == 'd') {
    send(queue[1], "2", 1, 0);
    send(queue[1], "3", 1, 0);
  }
  if (kind == 's') setitimer(ITIMER_REAL, &(struct itimerval){{0, 20000}, {0, 20000}}, NULL);
  if (kind == 'a') send(queue[1], "2z3w", 4, 0);
}

static int body(void* env) {
  char bytes[4] = "";
  errno = 77;
  ssize_t n = kind == 't' ? heddle_recvfrom(queue[0], bytes, 3, flags, NULL, NULL)
                                           : heddle_recv(queue[0], bytes, kind == 'a' ? 2 : 1, flags);
  if (n <= 0) {
    printf(" %s", errno == EAGAIN ? "again" : errno == EINTR ? "interrupted" : errno == 77 ? "end" : "error");
    return 7;
  }
  if (errno != 77) printf(" errno");
  const int packet = bytes[0] - '0';
  printf(" %da%s", packet, bytes + 1);
  HEDDLE_SITE(1);
  printf(" %db", packet);
  HEDDLE_SITE(2);
  answer(packet);
  if (packet == 3) {
    shutdown(queue[1], SHUT_WR);
    shutdown(queue[0], SHUT_RD);
  }
  return 0;
}

int main(int argc, char** argv) {
  kind = argc > 1 ? argv[1][0] : 'w';
  const int type = kind == 'a' ? SOCK_STREAM : SOCK_DGRAM;
  if (socketpair(AF_UNIX, type, 0, queue)) return 1;
  if (kind == 'd') flags = MSG_DONTWAIT;
  if (kind == 'a') flags = MSG_WAITALL;
  if (kind == 't') setsockopt(queue[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0, 20000}, sizeof(struct timeval));
  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGALRM, &action, NULL);
  send(queue[1], "0", 1, 0);
  send(queue[1], kind == 'a' ? "x1" : "1", kind == 'a' ? 2 : 1, 0);
  if (kind == 'a') send(queue[1], "y", 1, 0);
  printf(" result %d\n", heddle_run_loop(body, NULL, -1));
  struct heddle_counters counters;
  heddle_get_counters(&counters);
  printf("alone %u\n", (unsigned)counters.alone);
}
// WAIT: {{^}} 0a 1a 0b 1b 0c 1c 2a 3a 2b 3b 2c 3c end result 7
// WAIT: alone 0
// DONTWAIT: {{^}} 0a 1a 0b 1b 0c 1c 2a 3a 2b 3b 2c 3c {{again|end}} result 7
// TIMEOUT: {{^}} 0a 1a 0b 1b 0c 1c again result 7
// SIGNAL: {{^}} 0a 1a 0b 1b 0c 1c interrupted result 7
// A receive of more than there is asks for nothing ahead.
// ALL: {{^}} 0ax 0b 0c 1ay 1b 1c 2az 2b 2c 3aw 3b 3c end result 7
// OFF: {{^}} 0a 0b 0c 1a 1b 1c 2a 2b 2c 3a 3b 3c end result 7

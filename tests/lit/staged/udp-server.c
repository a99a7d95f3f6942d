// A UDP server with one recvfrom, recvmsg or recv per iteration of an endless loop. Answers are the original's at every
// batch size, whether the socket waits, waits for a time only, or does not wait. Asked in lockstep, nothing may be kept
// back for a datagram that is yet to come: the client sends the next request when it has the answer, or gives up.
// RUN: %heddle_cc -O2 %packets %s -o %t && %heddle inspect %t | FileCheck %s --check-prefix=INSPECT
// RUN: %stage %t bursts | FileCheck %s
// RUN: %stage %t bursts dontwait | FileCheck %s
// RUN: %heddle verify %t --batches 1,8,32 -- lockstep | FileCheck %s --check-prefix=SAME
// RUN: %heddle verify %t --batches 1,8,32 -- lockstep timeout | FileCheck %s --check-prefix=SAME
// RUN: %heddle verify %t --batches 1,8,32 -- lockstep dontwait | FileCheck %s --check-prefix=SAME
// RUN: env HEDDLE_BATCH=32 %t.heddle lockstep | FileCheck %s --check-prefix=ANSWERED
// RUN: %t bursts > %t.bursts && for least in 2 6 40; do env HEDDLE_LEAST_BATCH=$least %t.heddle bursts | cmp - %t.bursts || exit 1; done
// RUN: env HEDDLE_LEAST_BATCH=6 %t.heddle lockstep | FileCheck %s --check-prefix=ANSWERED
// RUN: %heddle_cc -O2 %packets -DMESSAGE %s -o %t.message && %stage %t.message bursts | FileCheck %s
// RUN: %heddle_cc -O2 %packets -DCONNECTED %s -o %t.recv && %stage %t.recv bursts | FileCheck %s
// RUN: %heddle inspect %t.message | FileCheck %s --check-prefix=MESSAGE
// RUN: %heddle inspect %t.recv | FileCheck %s --check-prefix=RECV
//
// Without the relaxation what is received and what is sent are one channel, so nothing can be cut.
// RUN: %heddle plan %t --policy finest --budget 1K --print --without received-ahead | FileCheck %s --check-prefix=STRICT
#define _GNU_SOURCE
#include "datagrams.h"

struct request {
  struct sockaddr_in sender;
  unsigned char bytes[256];
  uint32_t length, key, digest;
};

static struct {
  uint32_t requests, bytes;
} clients[8];
static uint32_t idle;

__attribute__((noinline)) static void parse(struct request *r) {
  memcpy(&r->key, r->bytes, 4);
  for (uint32_t i = r->digest = 0; i < r->length; i++) r->digest = mix(r->digest + r->bytes[i]);
}

__attribute__((noinline)) static void transform(struct request *r) {
  uint32_t x = mix(r->key);
  for (uint32_t i = 4; i < r->length; i++) r->bytes[i] ^= (unsigned char)(x = mix(x + r->digest));
}

__attribute__((noinline)) static void account(const struct request *r) {
  clients[r->key % 8].requests++;
  clients[r->key % 8].bytes += r->length;
}

static long receive(int fd, struct request *r, int flags) {
#if defined(MESSAGE)
  struct iovec part = {r->bytes, sizeof r->bytes};
  struct msghdr message = {.msg_name = &r->sender, .msg_namelen = sizeof r->sender, .msg_iov = &part, .msg_iovlen = 1};
  return recvmsg(fd, &message, flags);
#elif defined(CONNECTED)
  return recv(fd, r->bytes, sizeof r->bytes, flags);
#else
  socklen_t size = sizeof r->sender;
  return recvfrom(fd, r->bytes, sizeof r->bytes, flags, (struct sockaddr *)&r->sender, &size);
#endif
}

static void serve(int fd, int flags) {
  for (;;) {
    struct request r;
    long n = receive(fd, &r, flags);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
      idle++;
      continue;
    }
    if (n < 0 || (n == 4 && memcmp(r.bytes, "stop", 4) == 0)) break;
    r.length = (uint32_t)n;
    parse(&r);
    transform(&r);
    account(&r);
#ifdef CONNECTED
    send(fd, r.bytes, r.length, 0);
#else
    sendto(fd, r.bytes, r.length, 0, (struct sockaddr *)&r.sender, sizeof r.sender);
#endif
  }
}

int main(int count, char **arguments) {
  const char *wait = count > 2 ? arguments[2] : "";
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct timeval little = {0, 1000};
  if (!strcmp(wait, "timeout")) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &little, sizeof little);
  pid_t client = start_client(fd, count > 1 ? arguments[1] : "");
  serve(fd, strcmp(wait, "dontwait") ? 0 : MSG_DONTWAIT);
  end_client(client);
  for (int i = 0; i < 8; i++) printf("%d: %u requests, %u bytes\n", i, clients[i].requests, clients[i].bytes);
  show_crossings();
  return 0;
}
// INSPECT: packet body 0: recvfrom at {{.*}}udp-server.c:58
// INSPECT-NEXT: loop       serve at {{.*}}udp-server.c:66
// INSPECT-NOT: packet body
// MESSAGE: packet body 0: recvmsg at
// RECV: packet body 0: recv at
// CHECK: sites (
// CHECK: {{ transform +\(context}}
// CHECK: outputs: identical
// CHECK: crossings {{[1-9]}}
// CHECK: exit status 0
// SAME: outputs: identical
// ANSWERED: answers
// ANSWERED-NOT: the client ended
// STRICT: sites (
// STRICT-NOT: into stage {{.*}}transform

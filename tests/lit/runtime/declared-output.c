// Kept output that is declared to succeed goes on after parts and waits for room. Datagrams that follow each other go to the system
// together, and one that it refuses takes none of the others with it.
// RUN: %clang -O2 %s %rt -o %t
// RUN: env HEDDLE_BATCH=8 %t stream | FileCheck %s --check-prefix=STREAM
// RUN: env HEDDLE_BATCH=8 %t parts | FileCheck %s --check-prefix=STREAM
// RUN: env HEDDLE_BATCH=8 %t datagrams | FileCheck %s --check-prefix=TOGETHER
// RUN: env HEDDLE_BATCH=1 %t datagrams | FileCheck %s --check-prefix=ONE-BY-ONE
// RUN: env HEDDLE_BATCH=8 %t unused | FileCheck %s --check-prefix=TOGETHER
// RUN: env HEDDLE_BATCH=8 %t full | FileCheck %s --check-prefix=FULL
// RUN: env HEDDLE_BATCH=8 %t stuck | FileCheck %s --check-prefix=FULL
#define _GNU_SOURCE
#include "staged.h"

#include "runtime/deferred.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { packets = 8, line = 60000 };
static const char *how;
static int sockets[2], together, single;
static struct sockaddr_in to;
static char text[packets][line];

// The runtime's calls come here.
int sendmmsg(int descriptor, struct mmsghdr *messages, unsigned count, int flags) {
  ++together;
  return (int)syscall(SYS_sendmmsg, descriptor, messages, count, flags);
}
ssize_t sendto(int descriptor, const void *data, size_t size, int flags, const struct sockaddr *address,
               socklen_t address_size) {
  ++single;
  return syscall(SYS_sendto, descriptor, data, size, flags, address, address_size);
}

static int is(const char *what) { return strcmp(how, what) == 0; }

static int put(int packet) {
  char *mine = text[packet];
  memset(mine, 'a' + packet, line);
  ssize_t n = line;
  if (is("stream")) return heddle_output_write(sockets[1], mine, line) == n;
  struct iovec parts[2] = {{mine, 7}, {mine + 7, line - 7}};
  if (is("parts")) return heddle_output_writev(sockets[1], parts, 2) == n;
  n = packet == 4 ? line + 6000 : 10 + packet; // too long for UDP
  static char longest[line + 6000];
  memset(longest, 'a' + packet, (size_t)n);
  const struct sockaddr *address = (const struct sockaddr *)&to;
  if (is("unused")) return heddle_defer_sendto(sockets[1], longest, (size_t)n, 0, address, sizeof to) == n;
  static const struct sockaddr_un queue = {AF_UNIX, "\0declared-output"};
  if (is("stuck")) return heddle_output_sendto(sockets[1], mine, 1, 0, (const struct sockaddr *)&queue, sizeof queue) == 1;
  if (is("full")) return heddle_output_send(sockets[1], mine, line, 0) == line;
  return heddle_output_sendto(sockets[1], longest, (size_t)n, 0, address, sizeof to) == n;
}

static int body(void *env) {
  int packet = take(env);
  if (packet < 0) return 7;
  HEDDLE_SITE(1);
  const int sent = put(packet);
  memset(text[packet], '!', line);
  HEDDLE_SITE(2);
  printf("%d", sent);
  return 0;
}

static char seen[packets + 1];
static size_t total;

static void *read_slowly(void *unused) {
  char bytes[10000], last = 0, *next = seen;
  for (ssize_t n; (n = read(sockets[0], bytes, sizeof bytes)) > 0; total += (size_t)n) {
    for (ssize_t i = 0; i != n; ++i) {
      if (bytes[i] != last && next != seen + packets) *next++ = bytes[i];
      last = bytes[i];
    }
    usleep(1000);
  }
  return unused;
}

int main(int argc, char **argv) {
  how = argv[argc - 1];
  struct loop loop = {0, is("full") || is("stuck") ? 2 : packets};
  const int streams = is("stream") || is("parts") || is("full"), small = 4096;
  if (streams) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) return 1;
    setsockopt(sockets[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    if (fcntl(sockets[1], F_SETFL, O_NONBLOCK)) return 1;
  } else if (is("stuck")) { // a full queue, of which poll says that there is room
    const struct sockaddr_un queue = {AF_UNIX, "\0declared-output"};
    for (int i = 0; i != 2; ++i) sockets[i] = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (bind(sockets[0], (const struct sockaddr *)&queue, sizeof queue)) return 1;
    while (sendto(sockets[1], "", 1, 0, (const struct sockaddr *)&queue, sizeof queue) == 1) continue;
  } else {
    socklen_t size = sizeof to;
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i != 2; ++i) sockets[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (bind(sockets[0], (struct sockaddr *)&to, sizeof to) || getsockname(sockets[0], (struct sockaddr *)&to, &size)) return 1;
  }
  pthread_t reader;
  const int reads = streams && !is("full");
  if (reads && pthread_create(&reader, NULL, read_slowly, NULL)) return 1;
  heddle_run_loop(body, &loop, -1);
  printf("\n");
  close(sockets[1]);
  if (reads) {
    pthread_join(reader, NULL);
    printf("%s %d\n", seen, total >= (packets - 1) * (size_t)line);
  } else if (!streams && !is("stuck")) {
    char bytes[100];
    for (ssize_t n; (n = recv(sockets[0], bytes, sizeof bytes, 0)) > 0;) printf(" %c%zd", bytes[n - 1], n);
    printf(" together %d, single %d\n", together, single);
  }
  return 0;
}
// The first packet of a batch makes its call itself, and then packets keep theirs.
// STREAM: {{[01]}}1111111
// STREAM-NEXT: abcdefgh 1
// TOGETHER: 11111111
// TOGETHER-NEXT: a10 b11 c12 d13 f15 g16 h17 together
// ONE-BY-ONE: 11110111
// ONE-BY-ONE-NEXT: a10 b11 c12 d13 f15 g16 h17 together 0, single 8
// Nobody reads: no call waits for ever, whatever poll says, and the program ends.
// FULL: 01

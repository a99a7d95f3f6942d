// A server's UDP socket on the loopback interface with a client process that asks it, in one of these ways:
//   bursts    64 requests, then their answers, and so on: the server finds many datagrams at once
//   lockstep  each request only when the answer to the one before has come
// The client checks that every answer has come and prints a digest of them in their order, so what a program prints is
// the same however it is run. It uses read and write, so that only the server has a loop that receives datagrams.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/heddle.h"
// Only the optimized program has it.
#pragma weak heddle_get_counters

enum { REQUESTS = 1024, BURST = 64 };

static void show_crossings(void) {
  struct heddle_counters counters;
  if (!getenv("SHOW_CROSSINGS") || !heddle_get_counters) return;
  heddle_get_counters(&counters);
  fprintf(stderr, "crossings %llu\n", (unsigned long long)counters.crossings);
}

static uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

static struct sockaddr_in bind_here(int fd) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  struct timeval patience = {30, 0};
  if (fd < 0 || bind(fd, (struct sockaddr *)&here, size) || getsockname(fd, (struct sockaddr *)&here, &size) ||
      setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience)) {
    perror("socket");
    exit(1);
  }
  return here;
}

static void ask(int fd, int burst, int ready) {
  unsigned char bytes[256], answer[256];
  uint32_t digest = 0;
  struct timeval patience = {30, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  for (uint32_t first = 0; first < REQUESTS; first += (uint32_t)burst) {
    for (uint32_t i = first; i < first + (uint32_t)burst; i++) {
      uint32_t size = 8 + mix(i) % 200;
      for (uint32_t k = 0; k < size; k++) bytes[k] = (unsigned char)mix(i + k);
      memcpy(bytes, &i, 4);
      if (write(fd, bytes, size) != (long)size) exit(2);
    }
    if (first == 0 && write(ready, "", 1) != 1) exit(3);
    for (int i = 0; i < burst; i++) {
      long got = read(fd, answer, sizeof answer);
      if (got < 0) {
        printf("no answer\n");
        exit(4);
      }
      for (long k = 0; k < got; k++) digest = mix(digest + answer[k]);
    }
  }
  if (write(fd, "stop", 4) != 4) exit(5);
  printf("answers %08x\n", digest);
  exit(0);
}

// Starts the client on a socket of its own, which it returns connected to the server's; comes back when the first
// requests are there.
static pid_t start_client(int server, const char *how) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0), ready[2];
  struct sockaddr_in there = bind_here(server), here = bind_here(fd);
  char byte;
  if (connect(fd, (struct sockaddr *)&there, sizeof there) || pipe(ready)) exit(1);
#ifdef CONNECTED
  if (connect(server, (struct sockaddr *)&here, sizeof here)) exit(1);
#endif
  (void)here;
  pid_t client = fork();
  if (client == 0) ask(fd, strcmp(how, "lockstep") ? BURST : 1, ready[1]);
  if (client < 0 || read(ready[0], &byte, 1) != 1) exit(1);
  close(fd);
  return client;
}

static void end_client(pid_t client) {
  int status;
  if (waitpid(client, &status, 0) != client || status) printf("the client ended with %d\n", status);
}

// A UDP server on epoll and recvmmsg, of the kind that an event loop hands its datagrams to: each request is checked,
// looked up in a table of its client's, transformed and answered. "stop" ends it.
// usage: echo_server ADDRESS PORT
#define _GNU_SOURCE
#include "heddle/heddle.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#pragma weak heddle_get_counters // only the optimized program has it

enum { BATCH = 32, SIZE = 512, CLIENTS = 64 };

struct request {
  struct mmsghdr* message;
  unsigned char* bytes;
  uint32_t length, key, digest;
};

static struct mmsghdr messages[BATCH];
static struct iovec vectors[BATCH];
static struct sockaddr_in senders[BATCH];
static unsigned char buffers[BATCH][SIZE];
static struct {
  uint32_t requests, bytes;
} clients[CLIENTS];
static uint32_t malformed;
static int stopped;

static uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

__attribute__((noinline)) static int parse(struct request* r) {
  if (r->length < 8) return 0;
  memcpy(&r->key, r->bytes, 4);
  r->key = ntohl(r->key);
  r->digest = 0;
  for (uint32_t i = 8; i < r->length; i++)
    r->digest = mix(r->digest + r->bytes[i]);
  uint32_t sent;
  memcpy(&sent, r->bytes + 4, 4);
  return ntohl(sent) == r->digest;
}

__attribute__((noinline)) static void transform(struct request* r) {
  uint32_t x = mix(r->key);
  for (uint32_t i = 8; i < r->length; i++) {
    r->bytes[i] ^= (unsigned char)x;
    x = mix(x + i);
  }
  r->digest = mix(x ^ r->digest);
  uint32_t sent = htonl(r->digest);
  memcpy(r->bytes + 4, &sent, 4);
}

__attribute__((noinline)) static void account(const struct request* r) {
  clients[r->key % CLIENTS].requests++;
  clients[r->key % CLIENTS].bytes += r->length;
}

__attribute__((noinline)) static void answer(int fd, struct request* r) {
  sendto(fd, r->bytes, r->length, 0, r->message->msg_hdr.msg_name, r->message->msg_hdr.msg_namelen);
}

__attribute__((noinline)) static void serve(int fd) {
  for (int i = 0; i < BATCH; i++)
    messages[i].msg_hdr.msg_namelen = sizeof senders[i];
  int n = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
  for (int i = 0; i < n; i++) {
    struct request r = {&messages[i], buffers[i], messages[i].msg_len, 0, 0};
    if (!parse(&r)) {
      if (r.length == 4 && memcmp(r.bytes, "stop", 4) == 0)
        stopped = 1;
      else
        malformed++;
      continue;
    }
    transform(&r);
    account(&r);
    answer(fd, &r);
  }
}

static int open_socket(const char* address, const char* port) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), size = 4 << 20;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (fd < 0 || inet_pton(AF_INET, address, &here.sin_addr) != 1 ||
      bind(fd, (struct sockaddr*)&here, sizeof here)) {
    perror(address);
    exit(1);
  }
  return fd;
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  int fd = open_socket(arguments[1], arguments[2]), epoll = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fd}, ready[4];
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted);
  for (int i = 0; i < BATCH; i++) {
    vectors[i] = (struct iovec){buffers[i], SIZE};
    messages[i].msg_hdr.msg_iov = &vectors[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_name = &senders[i];
  }
  while (!stopped && epoll_wait(epoll, ready, 4, -1) >= 0)
    serve(fd);
  for (int i = 0; i < CLIENTS; i++)
    printf("%d: %u requests, %u bytes\n", i, clients[i].requests, clients[i].bytes);
  printf("%u malformed\n", malformed);
  if (getenv("SHOW_CROSSINGS") && heddle_get_counters) {
    struct heddle_counters counters;
    heddle_get_counters(&counters);
    fprintf(stderr, "crossings %llu\n", (unsigned long long)counters.crossings);
  }
  return 0;
}

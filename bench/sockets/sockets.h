/* Socket calls answered from memory: what a server does for a request, without the kernel.
 *
 * A preload library. TCP sockets of the process are endpoints here: a listener has CLIENTS connections waiting, each of
 * which sends a request, reads the whole answer, compares it byte by byte, and sends the next one at once; a connection
 * that the program makes itself gets a canned answer to each of its requests. Everything else goes to the kernel. So the
 * time that is left is the program's own (NanoPL section 7.1 measures user space the same way).
 *
 *   preload.c    the C library's calls: which are answered here, which go on
 *   endpoint.c   descriptors, what waits to be read, readiness, epoll
 *   files.c      files that are served from memory
 *   http.c       clients and upstream servers: requests, the length of answers, comparison
 *
 * One process, one thread. Environment:
 *   SOCKETS_REQUESTS   file of HTTP requests without bodies, one after the other; clients send them in turn
 *   SOCKETS_CLIENTS    connections at a time (default 64)
 *   SOCKETS_COUNT      requests in all, then SIGTERM (default 100000)
 *   SOCKETS_ANSWER     file with the HTTP answer that connections made by the program get
 */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>
#include <sys/uio.h>

/* The C library's own NAME, looked up once. */
#define NEXT(NAME)                                                                                           \
  static __typeof__(&(NAME)) next;                                                                           \
  if (!next) next = (__typeof__(&(NAME)))dlsym(RTLD_NEXT, #NAME);

enum role { UNBOUND, LISTENER, CLIENT, UPSTREAM, MEMORY_FILE };

/** What is known of one HTTP message that is being received: its length shows in its head. */
struct message {
  char head[4096];
  size_t got;  /* bytes so far */
  size_t size; /* of the whole message; 0: the head is not complete */
};

struct endpoint {
  int fd;
  enum role role;
  const char* input; /* what the program can read */
  size_t input_left;
  struct message received;
  unsigned request;  /* CLIENT: number of the request that is being answered */
  bool asked;        /* CLIENT: a request is not answered yet */
  bool first;        /* CLIENT: this answer is the first one to its request, and kept */
  struct file* file; /* MEMORY_FILE */
  /* epoll */
  int epoll; /* -1: none */
  struct epoll_event wanted;
  bool queued;
  struct endpoint* next;
};

/* endpoint.c */
struct endpoint* endpoint_of(int fd);
struct endpoint* endpoint_new(enum role role); /* NULL: no descriptor left */
void endpoint_close(struct endpoint* endpoint);
void endpoint_give(struct endpoint* endpoint, const char* bytes, size_t size);
ssize_t endpoint_read(struct endpoint* endpoint, const struct iovec* parts, int count);
void endpoint_became_ready(struct endpoint* endpoint);
int endpoint_control(int epoll, int operation, struct endpoint* endpoint, struct epoll_event* event);
bool endpoints_in(int epoll);
int endpoints_ready(int epoll, struct epoll_event* events, int most);

/* http.c */
bool clients_waiting(void);
struct endpoint* client_accepted(void);
void client_closed(struct endpoint* endpoint);
void upstream_connected(struct endpoint* endpoint);
ssize_t http_written(struct endpoint* endpoint, const struct iovec* parts, int count);
void http_batch(int packets);

#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096, POOL = 1024 };

static struct endpoint* endpoints[DESCRIPTORS];
static bool has_endpoints[DESCRIPTORS]; /* by epoll descriptor */
static int pool[POOL];
static int pool_left = -1;

/* Descriptors that nothing else gets: opened once, so that accept and close are no system calls. */
static void fill_pool(void) {
  pool_left = 0;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  int opened[POOL];
  int count = 0;
  while (count < POOL) {
    int fd = fcntl(null, F_DUPFD_CLOEXEC, 3);
    if (fd < 0 || fd >= DESCRIPTORS) break;
    opened[count++] = fd;
  }
  while (count > 0) /* lowest on top */
    pool[pool_left++] = opened[--count];
}

struct endpoint* endpoint_of(int fd) {
  return fd >= 0 && fd < DESCRIPTORS ? endpoints[fd] : NULL;
}

struct endpoint* endpoint_new(enum role role) {
  if (pool_left < 0) fill_pool();
  if (pool_left == 0) {
    errno = EMFILE;
    return NULL;
  }
  struct endpoint* endpoint = calloc(1, sizeof *endpoint);
  if (!endpoint) return NULL;
  endpoint->fd = pool[--pool_left];
  endpoint->role = role;
  endpoint->epoll = -1;
  endpoints[endpoint->fd] = endpoint;
  return endpoint;
}

/* Endpoints with something to tell, oldest first. */
static struct endpoint* queue;
static struct endpoint** queue_end = &queue;

static void enqueue(struct endpoint* endpoint) {
  if (endpoint->queued) return;
  endpoint->queued = true;
  endpoint->next = NULL;
  *queue_end = endpoint;
  queue_end = &endpoint->next;
}

static struct endpoint* dequeue(struct endpoint** place) {
  struct endpoint* endpoint = *place;
  *place = endpoint->next;
  if (queue_end == &endpoint->next) queue_end = place;
  endpoint->queued = false;
  return endpoint;
}

void endpoint_close(struct endpoint* endpoint) {
  if (endpoint->role == CLIENT) client_closed(endpoint);
  if (endpoint->queued) {
    struct endpoint** place = &queue;
    while (*place != endpoint)
      place = &(*place)->next;
    dequeue(place);
  }
  endpoints[endpoint->fd] = NULL;
  pool[pool_left++] = endpoint->fd;
  free(endpoint);
}

static uint32_t conditions(const struct endpoint* endpoint) {
  switch (endpoint->role) {
  case LISTENER:
    return clients_waiting() ? EPOLLIN : 0;
  case CLIENT:
  case UPSTREAM:
    return EPOLLOUT | (endpoint->input_left ? EPOLLIN : 0);
  case UNBOUND:
  case MEMORY_FILE:
    break;
  }
  return EPOLLOUT | EPOLLHUP;
}

void endpoint_became_ready(struct endpoint* endpoint) {
  if (endpoint->epoll >= 0 && conditions(endpoint) & endpoint->wanted.events) enqueue(endpoint);
}

void endpoint_give(struct endpoint* endpoint, const char* bytes, size_t size) {
  endpoint->input = bytes;
  endpoint->input_left = size;
  endpoint_became_ready(endpoint);
}

ssize_t endpoint_read(struct endpoint* endpoint, const struct iovec* parts, int count) {
  if (!endpoint->input_left) {
    errno = EAGAIN;
    return -1;
  }
  size_t sum = 0;
  for (int k = 0; k < count && endpoint->input_left; k++) {
    size_t size = parts[k].iov_len < endpoint->input_left ? parts[k].iov_len : endpoint->input_left;
    memcpy(parts[k].iov_base, endpoint->input, size);
    endpoint->input += size;
    endpoint->input_left -= size;
    sum += size;
  }
  return (ssize_t)sum;
}

int endpoint_control(int epoll, int operation, struct endpoint* endpoint, struct epoll_event* event) {
  if (operation == EPOLL_CTL_DEL) {
    endpoint->epoll = -1;
    return 0;
  }
  if (operation == EPOLL_CTL_ADD && endpoint->epoll == epoll) {
    errno = EEXIST;
    return -1;
  }
  if (epoll >= 0 && epoll < DESCRIPTORS) has_endpoints[epoll] = true;
  endpoint->epoll = epoll;
  endpoint->wanted = *event;
  endpoint_became_ready(endpoint);
  return 0;
}

bool endpoints_in(int epoll) {
  return epoll >= 0 && epoll < DESCRIPTORS && has_endpoints[epoll];
}

int endpoints_ready(int epoll, struct epoll_event* events, int most) {
  int count = 0;
  struct endpoint* again = NULL; /* level-triggered ones stay */
  struct endpoint** again_end = &again;
  for (struct endpoint** place = &queue; *place && count < most;) {
    struct endpoint* endpoint = *place;
    if (endpoint->epoll >= 0 && endpoint->epoll != epoll) {
      place = &endpoint->next;
      continue;
    }
    dequeue(place);
    uint32_t happened =
        endpoint->epoll == epoll ? conditions(endpoint) & (endpoint->wanted.events | EPOLLHUP) : 0;
    if (!happened) continue;
    events[count].events = happened;
    events[count++].data = endpoint->wanted.data;
    if (!(endpoint->wanted.events & EPOLLET)) {
      endpoint->next = NULL;
      *again_end = endpoint;
      again_end = &endpoint->next;
    }
  }
  while (again) {
    struct endpoint* next = again->next;
    enqueue(again);
    again = next;
  }
  return count;
}

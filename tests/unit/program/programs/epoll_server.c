// bodies: epoll_wait process_events
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct connection {
  int fd, number;
  void (*handler)(struct connection *connection);
};

static struct epoll_event *events;
static int open_connections;

static void echo(struct connection *connection) {
  char byte;
  if (read(connection->fd, &byte, 1) <= 0) {
    close(connection->fd);
    open_connections--;
    return;
  }
  printf("%d: %c\n", connection->number, byte);
}

static int wait_for_events(int epoll, struct epoll_event *list, int max) {
  int n = epoll_wait(epoll, list, max, -1);
  return n < 0 ? 0 : n;
}

static int process_events(int epoll) {
  int n = wait_for_events(epoll, events, 16);
  for (int i = 0; i < n; i++) {
    struct connection *connection = events[i].data.ptr;
    if (events[i].events & (EPOLLIN | EPOLLHUP))
      connection->handler(connection);
  }
  return n;
}

int main(void) {
  int epoll = epoll_create1(0);
  events = calloc(16, sizeof *events);
  for (int i = 0; i < 6; i++) {
    int fds[2];
    if (pipe(fds) || write(fds[1], "abcdef", i) < 0)
      return 1;
    close(fds[1]);
    struct connection *connection = malloc(sizeof *connection);
    *connection = (struct connection){fds[0], i, echo};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &event);
    open_connections++;
  }
  int total = 0;
  while (open_connections > 0)
    total += process_events(epoll);
  printf("%d events\n", total);
  return 0;
}

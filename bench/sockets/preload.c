#include "sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

static int not_supported(void) {
  errno = EOPNOTSUPP;
  return -1;
}

int socket(int domain, int type, int protocol) {
  NEXT(socket)
  bool tcp = (domain == AF_INET || domain == AF_INET6) && (type & 0xf) == SOCK_STREAM;
  if (!tcp) return next(domain, type, protocol);
  struct endpoint* endpoint = endpoint_new(UNBOUND);
  return endpoint ? endpoint->fd : -1;
}

int bind(int fd, const struct sockaddr* address, socklen_t size) {
  NEXT(bind)
  return endpoint_of(fd) ? 0 : next(fd, address, size);
}

int listen(int fd, int backlog) {
  NEXT(listen)
  struct endpoint* endpoint = endpoint_of(fd);
  if (!endpoint) return next(fd, backlog);
  endpoint->role = LISTENER;
  return 0;
}

static void loopback(struct sockaddr* address, socklen_t* size) {
  struct sockaddr_in peer = {
      .sin_family = AF_INET, .sin_port = htons(40000), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (!address || !size) return;
  memcpy(address, &peer, *size < sizeof peer ? *size : sizeof peer);
  *size = sizeof peer;
}

int accept4(int fd, struct sockaddr* address, socklen_t* size, int flags) {
  NEXT(accept4)
  if (!endpoint_of(fd)) return next(fd, address, size, flags);
  if (!clients_waiting()) {
    errno = EAGAIN;
    return -1;
  }
  struct endpoint* client = client_accepted();
  if (!client) return -1;
  loopback(address, size);
  endpoint_became_ready(endpoint_of(fd));
  return client->fd;
}

int accept(int fd, struct sockaddr* address, socklen_t* size) {
  NEXT(accept)
  return endpoint_of(fd) ? accept4(fd, address, size, 0) : next(fd, address, size);
}

int connect(int fd, const struct sockaddr* address, socklen_t size) {
  NEXT(connect)
  struct endpoint* endpoint = endpoint_of(fd);
  if (!endpoint) return next(fd, address, size);
  upstream_connected(endpoint);
  errno = EINPROGRESS;
  return -1;
}

int getsockname(int fd, struct sockaddr* address, socklen_t* size) {
  NEXT(getsockname)
  if (!endpoint_of(fd)) return next(fd, address, size);
  loopback(address, size);
  return 0;
}

int getpeername(int fd, struct sockaddr* address, socklen_t* size) {
  NEXT(getpeername)
  if (!endpoint_of(fd)) return next(fd, address, size);
  loopback(address, size);
  return 0;
}

int getsockopt(int fd, int level, int name, void* value, socklen_t* size) {
  NEXT(getsockopt)
  if (!endpoint_of(fd)) return next(fd, level, name, value, size);
  memset(value, 0, *size);
  return 0;
}

int setsockopt(int fd, int level, int name, const void* value, socklen_t size) {
  NEXT(setsockopt)
  return endpoint_of(fd) ? 0 : next(fd, level, name, value, size);
}

int ioctl(int fd, unsigned long request, ...) {
  NEXT(ioctl)
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  struct endpoint* endpoint = endpoint_of(fd);
  if (!endpoint) return next(fd, request, argument);
  if (request == FIONREAD) *(int*)argument = (int)endpoint->input_left;
  return 0;
}

int shutdown(int fd, int how) {
  NEXT(shutdown)
  return endpoint_of(fd) ? 0 : next(fd, how);
}

int close(int fd) {
  NEXT(close)
  struct endpoint* endpoint = endpoint_of(fd);
  if (!endpoint) return next(fd);
  endpoint_close(endpoint);
  return 0;
}

/* Reading. */

ssize_t readv(int fd, const struct iovec* parts, int count) {
  NEXT(readv)
  struct endpoint* endpoint = endpoint_of(fd);
  return endpoint ? endpoint_read(endpoint, parts, count) : next(fd, parts, count);
}

ssize_t read(int fd, void* buffer, size_t size) {
  NEXT(read)
  struct endpoint* endpoint = endpoint_of(fd);
  return endpoint ? endpoint_read(endpoint, &(struct iovec){buffer, size}, 1) : next(fd, buffer, size);
}

ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  NEXT(recv)
  struct endpoint* endpoint = endpoint_of(fd);
  if (!endpoint) return next(fd, buffer, size, flags);
  if (!(flags & MSG_PEEK)) return endpoint_read(endpoint, &(struct iovec){buffer, size}, 1);
  struct endpoint before = *endpoint;
  ssize_t got = endpoint_read(endpoint, &(struct iovec){buffer, size}, 1);
  endpoint->input = before.input;
  endpoint->input_left = before.input_left;
  return got;
}

ssize_t recvmsg(int fd, struct msghdr* message, int flags) {
  NEXT(recvmsg)
  struct endpoint* endpoint = endpoint_of(fd);
  if (!endpoint) return next(fd, message, flags);
  message->msg_flags = 0;
  return endpoint_read(endpoint, message->msg_iov, (int)message->msg_iovlen);
}

/* Writing. */

ssize_t writev(int fd, const struct iovec* parts, int count) {
  NEXT(writev)
  struct endpoint* endpoint = endpoint_of(fd);
  return endpoint ? http_written(endpoint, parts, count) : next(fd, parts, count);
}

ssize_t write(int fd, const void* buffer, size_t size) {
  NEXT(write)
  struct endpoint* endpoint = endpoint_of(fd);
  return endpoint ? http_written(endpoint, &(struct iovec){(void*)buffer, size}, 1) : next(fd, buffer, size);
}

ssize_t send(int fd, const void* buffer, size_t size, int flags) {
  NEXT(send)
  struct endpoint* endpoint = endpoint_of(fd);
  return endpoint ? http_written(endpoint, &(struct iovec){(void*)buffer, size}, 1)
                  : next(fd, buffer, size, flags);
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  NEXT(sendmsg)
  struct endpoint* endpoint = endpoint_of(fd);
  return endpoint ? http_written(endpoint, message->msg_iov, (int)message->msg_iovlen)
                  : next(fd, message, flags);
}

/* A program that has sendfile does without where a socket does not support it. */
ssize_t sendfile64(int fd, int file, off64_t* offset, size_t count) {
  NEXT(sendfile64)
  return endpoint_of(fd) ? not_supported() : next(fd, file, offset, count);
}

ssize_t sendfile(int fd, int file, off_t* offset, size_t count) {
  return sendfile64(fd, file, (off64_t*)offset, count);
}

/* Waiting. */

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event* event) {
  NEXT(epoll_ctl)
  struct endpoint* endpoint = endpoint_of(fd);
  return endpoint ? endpoint_control(epoll, operation, endpoint, event) : next(epoll, operation, fd, event);
}

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  NEXT(epoll_wait)
  static unsigned calls;
  if (!endpoints_in(epoll)) return next(epoll, events, most, timeout);
  /* Descriptors of the kernel's get their turn, too. */
  if (++calls % 256 == 0) {
    int others = next(epoll, events, most, 0);
    if (others != 0) return others;
  }
  int ready = endpoints_ready(epoll, events, most);
  if (!ready) return next(epoll, events, most, timeout);
  http_batch(ready);
  return ready;
}

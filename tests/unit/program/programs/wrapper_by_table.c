// The call is in one function, the loop in another; a table of functions and a field join them.
// bodies: recvmmsg udp_handle
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <sys/uio.h>
#include <unistd.h>

struct api;
struct context {
  struct mmsghdr messages[8];
  struct iovec parts[8];
  char bytes[8][64];
  unsigned received;
  long sum;
};
struct api {
  int (*receive)(int fd, struct context *context);
  void (*handle)(struct context *context);
};

static int udp_receive(int fd, struct context *context) {
  for (int i = 0; i < 8; i++) {
    context->parts[i].iov_base = context->bytes[i];
    context->parts[i].iov_len = 64;
    memset(&context->messages[i], 0, sizeof context->messages[i]);
    context->messages[i].msg_hdr.msg_iov = &context->parts[i];
    context->messages[i].msg_hdr.msg_iovlen = 1;
  }
  int n = recvmmsg(fd, context->messages, 8, MSG_DONTWAIT, NULL);
  if (n > 0)
    context->received = n;
  return n;
}

static void answer(struct context *context, const char *text, unsigned length) {
  for (unsigned i = 0; i < length; i++)
    context->sum = context->sum * 3 + text[i];
  printf("%.*s %ld\n", (int)length, text, context->sum % 1000);
}

static void udp_handle(struct context *context) {
  for (unsigned i = 0; i < context->received; i++) {
    struct mmsghdr *message = &context->messages[i];
    answer(context, message->msg_hdr.msg_iov->iov_base, message->msg_len);
  }
}

static const struct api udp_api = {udp_receive, udp_handle};

static int serve(const struct api *api, int fd, struct context *context) {
  if (api->receive(fd, context) <= 0)
    return 0;
  api->handle(context);
  return 1;
}

int main(void) {
  static struct context context;
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fds))
    return 1;
  char text[32];
  for (int i = 0; i < 5; i++)
    if (write(fds[0], text, snprintf(text, sizeof text, "message %d", i)) < 0)
      return 2;
  while (serve(&udp_api, fds[1], &context))
    ;
  return (int)(context.sum & 63);
}

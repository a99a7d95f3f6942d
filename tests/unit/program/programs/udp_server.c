// The loop that only calls again after a signal is no packet loop; the one around the function with the call is.
// bodies: recvfrom serve
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static long receive(int fd, char *bytes, struct sockaddr_in *sender) {
  long n;
  socklen_t size = sizeof *sender;
  do
    n = recvfrom(fd, bytes, 64, 0, (struct sockaddr *)sender, &size);
  while (n < 0 && errno == EINTR);
  return n;
}

static void serve(int fd) {
  for (int i = 0; i < 5; i++) {
    struct sockaddr_in sender;
    char bytes[64];
    long n = receive(fd, bytes, &sender);
    if (n <= 0)
      break;
    printf("%.*s from %d\n", (int)n, bytes, ntohs(sender.sin_port) != 0);
  }
}

int main(void) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(fd, (struct sockaddr *)&here, size) || getsockname(fd, (struct sockaddr *)&here, &size))
    return 1;
  for (int i = 0; i < 6; i++)
    sendto(fd, "the quick brown fox", 3 + 2 * i, 0, (struct sockaddr *)&here, size);
  serve(fd);
  return 0;
}

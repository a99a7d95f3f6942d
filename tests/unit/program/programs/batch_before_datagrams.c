// A loop over what poll delivers is the body, also where one over datagrams lies inside of it.
// bodies: poll main
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

static void serve(int fd) {
  struct sockaddr_storage sender;
  socklen_t size = sizeof sender;
  char bytes[64];
  long n;
  while ((n = recvfrom(fd, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&sender, &size)) > 0)
    printf("%.*s\n", (int)n, bytes);
}

int main(void) {
  struct pollfd entries[3];
  for (int i = 0; i < 3; i++) {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fds))
      return 1;
    for (int k = 0; k < 3; k++)
      send(fds[1], "the quick brown fox", 3 + 3 * i + k, 0);
    entries[i] = (struct pollfd){.fd = fds[0], .events = POLLIN};
  }
  if (poll(entries, 3, -1) > 0)
    for (int i = 0; i < 3; i++)
      if (entries[i].revents)
        serve(entries[i].fd);
  return 0;
}
